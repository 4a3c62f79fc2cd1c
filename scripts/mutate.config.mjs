// Vitest's configuration for the pass that says which test files reach a mutation: each has a process of its own, so that
// what runs once in a process is counted for each of them.
import { join } from "node:path";
import config from "../vitest.config.ts";

const { projects, ...test } = config.test;

export default {
  ...config,
  test: {
    ...test,
    setupFiles: [join(import.meta.dirname, "mutate-setup.mjs")],
    projects: projects.map((project) => ({ ...project, test: { ...project.test, isolate: true } })),
  },
};
