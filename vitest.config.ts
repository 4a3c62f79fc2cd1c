import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.mjs";

// Sources have their types stripped once, and not again in each worker and in each program that a test starts.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/node-compile");

// Where a random order is asked, Vitest's own sequencer draws it.
const isShuffled = process.argv.some((word) => word.startsWith("--sequence.shuffle"));

export default defineConfig({
  ssr: { resolve: { conditions: ["@toolmount/source"] } },
  test: {
    // Imports as Node does: what Node refuses in a plan's own `.ts` tool fails in tests too.
    experimental: { viteModuleRunner: false },
    // More than cores: a test often waits for a program that it started, or for a timer of the product.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    // Only against hanging: a machine under load takes its time.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      { extends: true, test: { name: "unit", include: ["{packages,tools}/*/test/**/*.test.ts"] } },
      { extends: true, test: { name: "cross", include: ["test/**/*.test.ts"] } },
    ],
  },
});
