import { readdirSync, readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedHost } from "@toolmount/loader";
import { serveHttp } from "@toolmount/mcp";
import { expect, onTestFinished, test } from "vitest";
import { connectCommand, plainEnv, run, toolmount } from "./support/command.ts";
import { listenTo } from "./support/http.ts";
import { folderOf, open, serverOf, until } from "./support/world.ts";

/** A plan that mounts another one as `toolmount connect` writes it into the list of a client. */
function planThatServes(path: string): string {
  const [command, ...args] = toolmount;
  return planOf({ command, args: [...args, "serve", path, "--stdio"] });
}

/** The same through a program that starts it without a variable of the host. */
function planThatHides(
  path: string,
  entry: object = {},
  source: object = {},
  ...more: readonly object[]
): string {
  const variables = Object.entries(plainEnv()).map(([name, value]) => `${name}=${value}`);
  const args = ["-i", ...variables, ...toolmount, "serve", path, "--stdio"];
  return planOf({ command: "env", args, ...source }, entry, ...more);
}

function planOf(mcp: object, entry: object = {}, ...more: readonly object[]): string {
  // On a busy machine, a host that starts a host takes its time.
  const source = { mcp: { startTimeoutMs: 600_000, ...mcp } };
  return JSON.stringify({ version: 1, tools: [{ module: "again", source, ...entry }, ...more] });
}

/** An address where nothing is served at first. */
async function addressOf() {
  let served: ReturnType<typeof serveHttp> | undefined;
  const url = await listenTo((request) => served?.fetch(request) ?? new Response(null, { status: 503 }));
  onTestFinished(() => served?.close());
  return { url: `${url}/mcp`, serve: (host: OpenedHost) => void (served = serveHttp(host)) };
}

/** A server of the tests with 3 tools. */
const three = { module: "three", source: { mcp: serverOf() } };

const optional = { required: false, prefix: "x_" };

/** The code of the problem of the entry `again`. */
function codeOf(host: OpenedHost): string | undefined {
  return host.status().entries.find(({ id }) => id === "again")?.problems?.[0]?.code;
}

function namesOf(host: OpenedHost): string[] {
  return host.tools().map(({ name }) => name);
}

/** Processes of this machine whose command line has a text. Linux only. */
function processesOf(text: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(text) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // it has ended
    }
  });
}

test.each([["list"], ["check"]])(
  "%s of a plan that serves itself names the entry, and leaves no process",
  async (name) => {
    const folder = await folderOf();
    const file = join(folder, "plan.json");
    await writeFile(file, planThatServes(file));

    const { code, stdout, stderr } = await run([name, file], { cwd: folder });

    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF/);
    expect(stdout + stderr).toMatch(/plan\.json:1:\d+/);
    expect(processesOf(folder)).toEqual([]);
  },
);

test("two plans that serve each other are not mounted, and leave no process", async () => {
  const folder = await folderOf();
  const [one, two] = [join(folder, "one.json"), join(folder, "two.json")];
  await writeFile(one, planThatServes(two));
  await writeFile(two, planThatServes(one));

  const { code, stdout, stderr } = await run(["list", one], { cwd: folder });

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF|module "again" failed to mount/);
  expect(processesOf(folder)).toEqual([]);
});

test("a plan may serve another plan", async () => {
  const folder = await folderOf();
  const [outer, inner] = [join(folder, "outer.json"), join(folder, "inner.json")];
  await writeFile(outer, planThatServes(inner));
  await writeFile(inner, JSON.stringify({ version: 1, tools: [] }));

  const { code, stderr } = await run(["list", outer], { cwd: folder });

  expect([code, stderr]).toEqual([0, ""]);
  expect(processesOf(folder)).toEqual([]);
});

const ways = (["list", "check"] as const).flatMap((name) =>
  (["legacy", "modern", "auto"] as const).map((era) => [name, era] as const),
);

test.each(ways)(
  "%s of a plan that hides that it serves itself names the entry, and leaves no process (%s)",
  async (name, era) => {
    const folder = await folderOf();
    const file = join(folder, "plan.json");
    await writeFile(file, planThatHides(file, {}, { era }));

    const { code, stdout, stderr } = await run([name, file], { cwd: folder });

    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF \S*plan\.json:1:\d+/);
    expect(processesOf(folder)).toEqual([]);
  },
);

test("a served plan whose optional entry starts it without its variables has one process, and does not ask again", async () => {
  const folder = await folderOf();
  const file = join(folder, "plan.json");
  await writeFile(file, planThatHides(file, optional));
  const client = await connectCommand([file], { cwd: folder });
  const { tools } = await client.listTools();
  const served = processesOf(folder);

  expect(tools).toEqual([]);
  await until(() => processesOf(folder).length === 1);
  expect(served.length).toBeLessThanOrEqual(3);
  await client.close();
  await until(() => processesOf(folder).length === 0);
});

test("a plan is the same under another path", async () => {
  const folder = await folderOf();
  const [file, link] = [join(folder, "plan.json"), join(folder, "link.json")];
  await writeFile(file, planThatHides(link));
  await symlink(file, link);

  const { code, stdout, stderr } = await run(["list", file], { cwd: folder });

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF \S*plan\.json:1:\d+/);
  expect(processesOf(folder)).toEqual([]);
});

test.each([["one"], ["two"]])(
  "where two plans start each other without their variables, the last entry that need not be there is left out (%s)",
  async (name) => {
    const folder = await folderOf();
    const [one, two] = [join(folder, "one.json"), join(folder, "two.json")];
    await writeFile(one, planThatHides(two, name === "one" ? optional : {}));
    await writeFile(two, planThatHides(one, name === "two" ? optional : {}));

    const { code, stderr } = await run(["list", one], { cwd: folder });

    expect(code).toBe(0);
    if (name === "one")
      expect(stderr).toMatch(
        /one\.json is served to itself.*code: PLAN_SERVES_ITSELF; at: \S*one\.json:1:\d+/,
      );
    expect(processesOf(folder)).toEqual([]);
  },
);

test("a host that mounts its own address leaves the entry out, and clients see each tool once", async () => {
  const { url, serve } = await addressOf();
  const folder = await folderOf({ "plan.json": planOf({ url }, optional, three) });
  const host = await open(join(folder, "plan.json"), { laterServers: true });
  const names = namesOf(host);
  serve(host);

  await until(() => codeOf(host) === "PLAN_SERVES_ITSELF");

  expect(namesOf(host)).toEqual(names);
  expect(names).toContain("echo");
});

test("another host of a plan that is served does not mount it", async () => {
  const { url, serve } = await addressOf();
  const folder = await folderOf({ "plan.json": planOf({ url }, optional, three) });
  serve(await open(join(folder, "plan.json"), { laterServers: true }));

  const other = await open(join(folder, "plan.json"));

  expect(codeOf(other)).toBe("PLAN_SERVES_ITSELF");
});

test("of hosts in a ring, one at least leaves its entry out, and no tool comes back", async () => {
  const places = [await addressOf(), await addressOf(), await addressOf()];
  const folder = await folderOf();
  const hosts: OpenedHost[] = [];
  for (const [index, { serve }] of places.entries()) {
    const { url } = places[(index + 1) % places.length]!;
    const own = { ...three, prefix: `own${index}_` };
    const file = join(folder, `plan${index}.json`);
    await writeFile(file, planOf({ url }, { required: false, prefix: `from${index}_` }, own));
    const host = await open(file, { laterServers: true });
    hosts.push(host);
    serve(host);
  }

  await until(() => hosts.some((host) => codeOf(host) === "PLAN_SERVES_ITSELF"));
  // A tool of a host that comes back to it has been through the others.
  const returned = () =>
    hosts.flatMap((host, index) =>
      namesOf(host).filter((name) => name.startsWith("from") && name.endsWith(`own${index}_echo`)),
    );
  await until(() => returned().length === 0);
  expect(hosts.map((host, index) => namesOf(host).includes(`own${index}_echo`))).toEqual([true, true, true]);
});

test("a plan that starts another one, which mounts its address, gets the other one's tools and not its own", async () => {
  const { url, serve } = await addressOf();
  const folder = await folderOf();
  const [one, two] = [join(folder, "one.json"), join(folder, "two.json")];
  await writeFile(one, planThatHides(two, optional, {}, three));
  await writeFile(two, planOf({ url }, { required: false, prefix: "y_" }, { ...three, prefix: "own_" }));
  const host = await open(one, { laterServers: true });
  serve(host);

  await until(() => namesOf(host).includes("x_own_echo"));

  // A list of the other plan's host waits until its optional entry is mounted, or left out.
  await host.call({ name: "x_own_echo", arguments: { text: "hi" } });
  expect(namesOf(host).filter((name) => name.endsWith("echo"))).toEqual(["echo", "x_own_echo"]);
});
