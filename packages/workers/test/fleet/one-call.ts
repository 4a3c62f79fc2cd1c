// A host that makes one call and stays: one-call.ts <database> <engine or -> <file> <ms>.
import { argv, stdout } from "node:process";
import { fleetHost, fleetPlace } from "./fleet-world.ts";

const [, , database = "", engine = "-", file = "", ms = "0"] = argv;

const host = await fleetHost(fleetPlace(database, engine, 5_000), { limits: { timeoutMs: 600_000 } });
const call = { id: "call-1", name: "effect", arguments: { file, ms: Number(ms) } };
const { runId, status } = await host.call(call, { sessionId: "session-1" });
stdout.write(`${runId} ${status}\n`);
setInterval(() => undefined, 60_000);
