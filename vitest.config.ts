import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defaultExclude, defineConfig } from "vitest/config";

// Sources have their types stripped once, and not again in each worker and in each program that a test starts.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/node-compile");

// Tests import sources. Processes that these start are those that were built, where `npm test` has built them: they start
// in a third of the time, and behind a border nothing keeps the compiled sources.
const built = process.env["TOOLMOUNT_TEST_BUILT"] === "1" ? ["@toolmount/built"] : [];

/**
 * A ring of tests, by the ending of its files. Its limit is only for a test that hangs, so it fits the busiest machine:
 * a poll ends before its test, so that a red test says what it waited for.
 */
const ring = (name: string, ending: string, minutes: number, options: object) => ({
  extends: true as const,
  test: {
    name,
    include: [`{packages,tools}/*/test/**/*${ending}`, `test/**/*${ending}`],
    testTimeout: minutes * 60_000,
    hookTimeout: minutes * 60_000,
    expect: { poll: { timeout: minutes * 54_000 } },
    ...options,
  },
});

export default defineConfig({
  ssr: { resolve: { conditions: [...built, "@toolmount/source"] } },
  test: {
    // Imports as Node does: what Node refuses in a plan's own `.ts` tool fails in tests too.
    experimental: { viteModuleRunner: false },
    maxWorkers: availableParallelism(),
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      // In the test's own process, which these files share, because to import the packages takes longer than to test them.
      ring("quick", ".test.ts", 3, {
        exclude: [...defaultExclude, "**/*.process.test.ts", "**/*.load.test.ts"],
        isolate: false,
        setupFiles: [join(import.meta.dirname, "scripts/quick-ring.mjs")],
      }),
      // Starts processes, servers and browsers, plays pages of the docs, or changes what belongs to its process.
      ring("process", ".process.test.ts", 15, {}),
      // Kills, fuzzes, plays worlds, suites, peers and releases, loads.
      ring("load", ".load.test.ts", 60, {}),
    ],
  },
});
