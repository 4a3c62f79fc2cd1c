import { globSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { defaultExclude, defineConfig } from "vitest/config";
import { LongestFirst, longest } from "./scripts/longest-first.mjs";

// Sources have their types stripped once, and not again in each worker and in each program that a test starts.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/node-compile");

// Where a random order is asked, Vitest's own sequencer draws it.
const isShuffled = process.argv.some((word) => word.startsWith("--sequence.shuffle"));

const { TOOLMOUNT_LONG, TOOLMOUNT_LOAD, TOOLMOUNT_BUSY } = process.env;

/** Whether the tests have their full counts, or run beside busy loops. */
const isSlow = TOOLMOUNT_LONG === "1" || TOOLMOUNT_LOAD === "full" || TOOLMOUNT_BUSY === "1";

/** For each core, the programs that wanted it in the last minute: a test takes that much longer. */
const crowd = Math.max(1, Math.ceil(loadavg()[0] / availableParallelism()));

/** Milliseconds for a test of a file that takes long, and for any hook. */
const long = 900_000;

/** Milliseconds for any other test: one that hangs costs a minute on a quiet machine. */
const testTimeout = isSlow ? long : Math.min(long, 60_000 * crowd);

/** Test files that have a process of their own: they measure memory, count or change what belongs to the process, or take long. */
const alone = [
  ...longest,
  "packages/{http/test/rows,otel/test/telemetry}.test.ts",
  "packages/cli/test/process/{quiet-memory,with-status}.test.ts",
  "packages/core/test/{storm,sessions/idle-sessions,scan/phrase-words}.test.ts",
  "packages/loader/test/host/default-logger.test.ts",
  "packages/paths/test/race.test.ts",
  "packages/reasoner/test/models/kill.test.ts",
  "packages/testing/test/store-calls.test.ts",
  "test/{agent-trace,demo,evals,http-memory,light-modules,site}.test.ts",
  "tools/bash/test/{differential,isolation,jobs,killed-host,orphans,run}.test.ts",
  "tools/program/test/threads.test.ts",
  "tools/search/test/{engine,race}.test.ts",
];

/** Test files that share a process with others: for most of them, to import the packages takes longer than to test. */
const find = (pattern: string) => globSync(pattern, { cwd: import.meta.dirname, exclude: alone });
const shared = {
  unit: [...find("packages/*/test/**/*.test.ts"), ...find("tools/*/test/**/*.test.ts")],
  cross: [
    ...find("test/*.test.ts"),
    ...find("test/{contract-rows,core,decisions,isolation,mcp,workers}/**/*.test.ts"),
  ],
};
const inOwnProcess = { exclude: [...defaultExclude, ...shared.unit, ...shared.cross] };

// Tests import sources. Processes that these start are those that were built, where `npm test` has built them: they start
// in a third of the time, and behind a border nothing keeps the compiled sources.
const built = process.env["TOOLMOUNT_TEST_BUILT"] === "1" ? ["@toolmount/built"] : [];

export default defineConfig({
  ssr: { resolve: { conditions: [...built, "@toolmount/source"] } },
  test: {
    // Imports as Node does: what Node refuses in a plan's own `.ts` tool fails in tests too.
    experimental: { viteModuleRunner: false },
    // More than cores: a test often waits for a program that it started, or for a timer of the product. With twice as many
    // the two cores of our machine are busy for 99 % of the time; more only take processor time from one another.
    maxWorkers: availableParallelism() * 2,
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    testTimeout,
    hookTimeout: long,
    // A poll ends before its test, so that a red test says what it waited for.
    expect: { poll: { timeout: testTimeout * 0.9 } },
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,tools}/*/test/**/*.test.ts"],
          testTimeout: long,
          ...inOwnProcess,
        },
      },
      {
        extends: true,
        test: { name: "cross", include: ["test/**/*.test.ts"], testTimeout: long, ...inOwnProcess },
      },
      { extends: true, test: { name: "unit-shared", include: shared.unit, isolate: false } },
      { extends: true, test: { name: "cross-shared", include: shared.cross, isolate: false } },
    ],
  },
});
