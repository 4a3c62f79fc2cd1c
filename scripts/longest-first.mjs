// The order of the test files: the longest first, so that no long file is left at the end and keeps one core busy alone.
// Vitest knows how long a file takes only where it ran before, which a fresh clone never did.
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { BaseSequencer } from "vitest/node";

const root = dirname(import.meta.dirname);

/** Files of more than about fifteen seconds on two quiet cores, the longest first. */
export const longest = [
  "test/stranger.test.ts",
  "test/docs.test.ts",
  "test/worlds/ways.test.ts",
  "test/kill-turn.test.ts",
  "packages/store/test/kill/kill.test.ts",
  "tools/bash/test/options-fuzz.test.ts",
  "packages/cli/test/module/validate.test.ts",
  "packages/workers/test/fleet/fleet-contract.test.ts",
  "test/worlds/retail.test.ts",
  "test/mcp/conformance.test.ts",
  "packages/workers/test/fleet/kill-fleet.test.ts",
  "packages/workers/test/fleet/restarted-host.test.ts",
  "packages/http/test/page.test.ts",
  "test/worlds/tapes.test.ts",
  "packages/workers/test/isolation-table.test.ts",
  "packages/cli/test/plan/check.test.ts",
  "test/worlds/processes.test.ts",
  "packages/loader/test/plan/hostile-plans.test.ts",
  "test/testing/validator.test.ts",
  "packages/workers/test/process-deaths.test.ts",
  "packages/cli/test/http/operator.test.ts",
  "test/examples.test.ts",
  "packages/cli/test/screens.test.ts",
  "packages/cli/test/module/create.test.ts",
  "test/mcp/gateway.test.ts",
  "test/killed-host.test.ts",
  "packages/cli/test/process/watchdog.test.ts",
];

const missing = longest.filter((path) => !existsSync(join(root, path)));
if (missing.length > 0)
  throw new Error(
    `scripts/longest-first.mjs names files that are not there: ${missing.join(", ")}; correct its list`,
  );

/** Sorts the longest files to the front, then those with a process of their own, and last those that share one. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId, project }) => {
      const at = longest.indexOf(relative(root, moduleId).replaceAll(sep, "/"));
      if (at !== -1) return at;
      return project.config.isolate ? longest.length : longest.length + 1;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer of Vitest, not an array
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => place(left) - place(right));
  }
}
