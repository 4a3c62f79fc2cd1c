// A worker in a process of its own, for tests that kill it: worker-process.ts <database> <engine or -> [leaseMs].
import { argv, stdout } from "node:process";
import { fleetPlace, worker } from "./fleet-world.ts";

const [, , database = "", engine = "-", leaseMs = "5000"] = argv;

const here = await worker(fleetPlace(database, engine, Number(leaseMs)), { concurrency: 4 });
stdout.write("ready\n");
process.once("SIGTERM", () => void here[Symbol.asyncDispose]());
