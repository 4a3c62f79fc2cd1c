// Vitest's configuration for `mutate.mjs`: its runner, a process of its own for each test file, and one test at a time.
import { join } from "node:path";
import config from "../vitest.config.ts";

const { projects, ...test } = config.test;
const runner = join(import.meta.dirname, "mutate-runner.mjs");
const own = { runner, isolate: true, maxConcurrency: 1, testTimeout: 900_000 };

export default {
  ...config,
  test: {
    ...test,
    ...own,
    projects: projects.map((project) => ({ ...project, test: { ...project.test, ...own } })),
  },
};
