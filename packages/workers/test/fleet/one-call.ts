// A host that makes one call, and is killed when it has the outcome: one-call.ts <database> <engine or -> <file> <ms>.
// It kills itself: a living host deletes the row some seconds later, and a busy test may not kill it before.
import { writeSync } from "node:fs";
import { argv, kill, pid, stdout } from "node:process";
import { fleetHost, fleetPlace } from "./fleet-world.ts";

const [, , database = "", engine = "-", file = "", ms = "0"] = argv;

const host = await fleetHost(fleetPlace(database, engine, 30_000), { limits: { timeoutMs: 600_000 } });
const call = { id: "call-1", name: "effect", arguments: { file, ms: Number(ms) } };
const { runId, status, result } = await host.call(call, { sessionId: "session-1" });
writeSync(stdout.fd, `${runId} ${status} ${result.code ?? "-"}\n`);
kill(pid, "SIGKILL");
