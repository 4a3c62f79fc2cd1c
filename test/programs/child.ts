// Runs a program in a process of its own, which dies at the first call that no earlier life died at.
import { appendFileSync, readFileSync } from "node:fs";
import { openStore } from "@toolmount/store";
import { numbers } from "./programs.ts";
import { createWorld, places, runProgram, type Place } from "./world.ts";

const [folder = "", seed = "0"] = process.argv.slice(2);
const killed = new Set(readFileSync(`${folder}/killed.txt`, "utf8").split("\n"));

/** Each call has one place at which its process dies; the program's seed chooses it. */
const placeOf = (call: string) => {
  const letters = Buffer.from(call).reduce((sum, letter) => sum * 31 + letter, Number(seed));
  return places[numbers(letters)(places.length)];
};
const at = (place: Place, call: string) => {
  if (killed.has(call) || placeOf(call) !== place) return;
  appendFileSync(`${folder}/killed.txt`, `${call}\n`);
  process.kill(process.pid, "SIGKILL");
};
const store = await openStore(`sqlite:${folder}/state.db`, { audit: "durable" });
const host = await createWorld(store, `${folder}/effects.txt`, at);
const outcome = await runProgram(host, readFileSync(`${folder}/program.ts`, "utf8"));
process.stdout.write(JSON.stringify(outcome));
await host.close();
await store.close();
