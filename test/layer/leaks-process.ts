// Tries to leave a layer, as the user of this process, and prints which attempts changed something.
import { execFileSync } from "node:child_process";
import { openSync, readSync, readdirSync, lstatSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { argv, env, exit, stdout } from "node:process";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { openLayer } from "@toolmount/sandbox";
import { calls, forged, race, scripts, survivors } from "./leaks.ts";
import { differing, exactly } from "./looks.ts";

const [, , parent = "", engine = ""] = argv;
const folder = join(parent, "project");
const outside = join(parent, "outside");

/** Connections to services of the person. */
let connections = 0;
const listen = (server: Server, at: string | number) =>
  new Promise<void>((resolve) => {
    server.on("connection", (socket) => {
      connections += 1;
      socket.destroy();
    });
    if (typeof at === "string") server.listen(at, resolve);
    else server.listen(at, "127.0.0.1", resolve);
  });
const servers = [createServer(), createServer(), createServer(), createServer()] as const;
await listen(servers[0], join(folder, "service.sock"));
await listen(servers[1], join(outside, "service.sock"));
await listen(servers[2], "\0toolmount-leak");
await listen(servers[3], 0);
const { port } = servers[3].address() as { port: number };
writeFileSync(join(folder, "port"), String(port));
const { O_RDONLY, O_NONBLOCK } = { O_RDONLY: 0, O_NONBLOCK: 0o4000 };
const pipe = openSync(join(folder, "pipe"), O_RDONLY | O_NONBLOCK);

/** Bytes that came through the person's pipe. */
function piped(): number {
  try {
    return readSync(pipe, Buffer.alloc(100));
  } catch {
    return 0; // none came
  }
}

const layer = await openLayer({ folder, name: "s", env, engine: engine as "overlay" | "copy", obeyed: [] });
if ("problem" in layer) throw new Error(layer.problem);
await layer.close();
const host = await openHost(join(folder, "mount-plan.yaml"), {
  logger: silentLogger,
  store: createMemoryStore(),
  extensions: { "@toolmount/policy": policy, "@toolmount/workers": () => import("@toolmount/workers") },
});
const call = async (name: string, given: object) => {
  const { status, result } = await host.call({ name, arguments: { ...given } }, { sessionId: "s" });
  if (status === "pending") throw new Error(`${name} asks`);
  return result;
};
const layerOf = () => host.coordinator.getCapability("host.layers")!.of("s");

/** All that a leak would change. */
function world() {
  const marked = markedIn(join(folder, ".toolmount"));
  const beside = readdirSync(parent).join(" ");
  return {
    project: exactly(folder),
    outside: { ...exactly(outside), connections: String(connections), piped: String(piped()), beside },
    marked,
  };
}

/** Files that run with the rights of their owner. The kernel's own folder of an overlay cannot be read by a user. */
function markedIn(at: string): readonly string[] {
  const { mode } = lstatSync(at);
  if ((mode & 0o500) === 0) return [];
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    if (entry.isDirectory()) return markedIn(path);
    return entry.isFile() && (lstatSync(path).mode & 0o6000) !== 0 ? [path] : [];
  });
}

const leaked: string[] = [];
let tried = 0;
let before = world();
const expectNothing = (name: string) => {
  tried += 1;
  const now = world();
  const found = [
    ...differing(before.project, now.project),
    ...differing(before.outside, now.outside),
    ...now.marked.map((path) => `${path} has the rights of its owner`),
  ];
  leaked.push(...found.map((each) => `${name}: ${each}`));
  before = now;
};
const bash = (command: string) => call("bash", { command: `O=${outside}\n${command}`, timeout: 120 });

for (const [name, script] of Object.entries(scripts)) {
  await bash(script);
  expectNothing(name);
  if (name.startsWith("forge")) {
    // The person's change lets the view be mounted again.
    writeFileSync(join(folder, "theirs"), "");
    before = world();
    await bash(forged);
    expectNothing("use what was forged");
  }
  // What one attempt broke must not keep the next from its start.
  await (await layerOf()).drop();
}
for (const [name, list] of Object.entries(calls)) {
  for (const { name: tool, given } of list)
    await call(tool, JSON.parse(JSON.stringify(given).replaceAll("/PROJECT", folder)) as object);
  expectNothing(name);
  await (await layerOf()).drop();
}
await call("bash", { command: `O=${outside}\n${race.loop}`, run_in_background: true });
for (const { name, given } of race.calls) await call(name, given);
expectNothing("write by a name that is a link in turn");
await (await layerOf()).drop();

for (const [name, script] of Object.entries(survivors)) {
  await call("bash", { command: script, run_in_background: true });
  const kept = await layerOf();
  let result = await kept.keep({ digest: (await kept.difference()).digest, sections: ["files"] });
  for (let times = 0; result.status === "changed" && times < 20; times += 1)
    result = await kept.keep({ digest: result.difference.digest, sections: ["files"] });
  if (result.status !== "kept" && result.status !== "nothing") throw new Error(JSON.stringify(result));
  before = world();
  // Longer than a round of each loop.
  execFileSync("sleep", ["0.3"]);
  await bash("sleep 0.3");
  expectNothing(`write after a keep by ${name}`);
}
await host.close();
expectNothing("an end of the host");
for (const server of servers) server.close();
stdout.write(JSON.stringify({ tried, leaked }));
exit(0);
