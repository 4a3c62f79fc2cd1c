// A host in a process of its own, started by the user whose rights its tools may have: escape-attempts.ts <border> <target>.
// It prints what came of each attempt, as JSON. It has no `await using`, which Node 22 does not know.
import { argv, exit, pid, stdout } from "node:process";
import { attempts, type Target } from "./modules/escapes.ts";
import { world } from "./world.ts";

const [, , border = "", given = "{}"] = argv;
const target = { ...(JSON.parse(given) as Omit<Target, "host">), host: pid };
const limits = { timeoutMs: 600_000, graceMs: 20_000 };
const openFar = () =>
  world({ border, read: [target.box], write: [target.box] }, { limits, folder: target.box });

const far = await openFar();
const ends: Record<string, unknown> = {};
for (const what of Object.keys(attempts)) {
  // Node 24 can crash over a snapshot of a process that has done some of the others.
  const own = what === "write a heap snapshot" ? await openFar() : undefined;
  const { result } = await (own ?? far).act("attempt", { what, target });
  await own?.[Symbol.asyncDispose]();
  ends[what] = result.error ?? result.data;
}
await far[Symbol.asyncDispose]();
// The runtime of srt keeps its proxies.
stdout.write(JSON.stringify(ends), () => exit());
