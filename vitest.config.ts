import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@toolmount/source"] } },
  test: {
    // Imports as Node does: what Node refuses in a plan's own `.ts` tool fails in tests too.
    experimental: { viteModuleRunner: false },
    // The default leaves one core idle, which on two cores is half of them.
    maxWorkers: "100%",
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
