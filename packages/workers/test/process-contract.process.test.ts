import { describeContract } from "./call-contract.ts";
import { world } from "./world.ts";

/** Every border, as a plan asks for it. */
const borders = ["none", "permission", "bubblewrap", "srt"] as const;

for (const border of borders)
  describeContract(`a call in a process with ${border}`, (options) => world({ border }, options));
