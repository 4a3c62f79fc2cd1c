// Runs a program in a process of its own, which dies at the n-th time that it is at a place.
import { readFileSync } from "node:fs";
import { openStore } from "@toolmount/store";
import { createWorld, runProgram, type Place } from "./world.ts";

const [folder = "", place = "", count = "0"] = process.argv.slice(2);
let left = Number(count);
const die = (at: Place) => {
  if (at === place && --left === 0) process.kill(process.pid, "SIGKILL");
};
const store = await openStore(`sqlite:${folder}/state.db`);
const host = await createWorld(store, `${folder}/effects.txt`, die);
const outcome = await runProgram(host, readFileSync(`${folder}/program.ts`, "utf8"));
process.stdout.write(JSON.stringify(outcome));
await host.close();
await store.close();
