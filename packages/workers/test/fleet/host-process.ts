// A host that calls until it is asked to end: host-process.ts <database> <engine or -> <leaseMs> <folder> <name>. Each
// outcome is a line "runId tool status code" of its file, written before the next call of that lane begins.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { setTimeout } from "node:timers/promises";
import { fleetHost, fleetPlace } from "./fleet-world.ts";

const [, , database = "", engine = "-", leaseMs = "5000", folder = "", name = ""] = argv;

const place = fleetPlace(database, engine, Number(leaseMs));
const host = await fleetHost(place, { limits: { timeoutMs: 120_000, graceMs: 60_000 } });
const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
stdout.write("ready\n");

async function lane(tools: readonly string[]): Promise<void> {
  for (let at = 0; !ending.signal.aborted; at++) {
    const tool = tools[at % tools.length]!;
    const ms = (at * 37) % 300;
    const outcome = await host.call({ name: tool, arguments: { file: join(folder, tool), ms } });
    const { runId, status, result } = outcome;
    appendFileSync(join(folder, `outcomes-${name}`), `${runId} ${tool} ${status} ${result.code ?? "-"}\n`);
    stdout.write("outcome\n");
    // Without a database every call ends soon.
    if (result.code === "UNAVAILABLE") await setTimeout(20);
  }
}

await Promise.all([lane(["effect", "repeatable"]), lane(["repeatable", "effect"]), lane(["effect"])]);
await host.close();
