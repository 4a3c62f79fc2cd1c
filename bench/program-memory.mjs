#!/usr/bin/env node
// Memory of a hundred programs that are called at once: of programs that only wait, and of those that fill all they may have.
// Run as `pnpm --filter @toolmount-workspace/bench program-memory`; `--json` prints the figures alone.
import { createHost, data, defineTool } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-program";
import { z } from "zod";

const programs = 100;
/** Programs of a host that run at the same time; the others wait for a place. */
const places = 32;
/** The limit of a program that fills its memory, in megabytes. */
const limitMb = 8;

/** Calls a hundred programs that each hold once. Resolves to the most that held together, and the memory they took then. */
async function runAll(source, settings) {
  const host = createHost({});
  const before = process.memoryUsage.rss();
  const most = { together: 0, bytes: 0 };
  let left = programs;
  let holding = [];
  const hold = async () => {
    await new Promise((resolve) => {
      holding.push(resolve);
      most.together = Math.max(most.together, holding.length);
      most.bytes = Math.max(most.bytes, process.memoryUsage.rss() - before);
      if (holding.length < Math.min(places, left)) return;
      left -= holding.length;
      for (const release of holding.splice(0)) release();
    });
    return data(null);
  };
  const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const description = "Waits for the other programs. Use in benches.";
  // A busy machine needs long until all programs hold.
  const slow = { timeout: 600_000 };
  const tool = { ...facts, ...slow, name: "hold", description, schema: z.strictObject({}), execute: hold };
  host.coordinator.mount("tools", defineTool(tool));
  await mount(host.coordinator, config.parse(settings));
  const call = () => host.call({ name: "run_program", arguments: { source } });
  const outcomes = await Promise.all(Array.from({ length: programs }, call));
  await host.close();
  const ended = outcomes.filter(({ status }) => status === "ok").length;
  return { together: most.together, ended, megabytes: Math.round(most.bytes / 1_048_576) };
}

const waiting = await runAll("await tools.hold(); return 1", {});
const filling = await runAll(
  `const kept = [];
   try { for (;;) kept.push(new Uint8Array(65_536).fill(1)); } catch { kept.length -= 16; }
   await tools.hold();
   return kept.length;`,
  { memory_mb: limitMb },
);
if (process.argv.includes("--json")) console.log(JSON.stringify({ programs, limitMb, waiting, filling }));
else
  for (const [title, { together, ended, megabytes }] of Object.entries({ waiting, filling }))
    console.log(
      `${title.padEnd(8)} ${ended} of ${programs} ended; ${together} together took ${megabytes} MB, ${(megabytes / together).toFixed(1)} MB each`,
    );
