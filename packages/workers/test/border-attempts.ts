// A host in a process of its own, to try the permission border of another Node: border-attempts.ts <box> <outside> <port>.
// It prints what a tool reached, and how a plan without network ends.
import { join } from "node:path";
import inspector from "node:inspector";
import { argv, kill, pid, stdout } from "node:process";
import { world } from "./world.ts";

const [, , box = "", outside = "", port = ""] = argv;

const run = { border: "permission", read: [box], write: [box] };
const far = await world(run, { limits: { timeoutMs: 100_000 }, folder: box });

const attempts: readonly (readonly [string, string, unknown?])[] = [
  ["read outside", "read", join(outside, "secret.txt")],
  ["write outside", "write", join(outside, "written.txt")],
  ["follow a link outside", "read", join(box, "link")],
  ["read inside", "read", join(box, "inside.txt")],
  ["write inside", "write", join(box, "written.txt")],
  ["spawn", "spawn"],
  ["connect", "connect", Number(port)],
  ["sqlite", "sqlite", join(outside, "written.db")],
  ["signal", "signal the host", pid],
];

const reached: Record<string, boolean> = {};
for (const [what, act, value] of attempts) {
  const { result } = await far.act(act, value);
  if (result.error !== undefined) throw new Error(`${what}: ${result.error}`);
  reached[what] = "got" in (result.data as object);
}
// Another program may send it, too. The inspector would be open long before the next host is.
kill(pid, "SIGUSR1");
await far[Symbol.asyncDispose]();

const withoutNetwork = await world({ ...run, network: "none" }, { folder: box }).then(
  async (opened) => {
    await opened[Symbol.asyncDispose]();
    return "opened";
  },
  (error: { code: string }) => error.code,
);
const isInspected = inspector.url() !== undefined;
stdout.write(JSON.stringify({ node: process.versions.node, reached, withoutNetwork, isInspected }));
