import type { JsonObject } from "@toolmount/core";
import { describeContract } from "./call-contract.ts";
import { world } from "./world.ts";

/** Every border, as a plan asks for it. srt also needs socat and ripgrep. */
const borders: readonly JsonObject[] = [
  { border: "none" },
  { border: "permission" },
  { border: "bubblewrap" },
];

for (const run of borders)
  describeContract(`a call in a process with ${String(run["border"])}`, (options) => world(run, options));
