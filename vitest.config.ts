import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@toolmount/source"] } },
  test: {
    // Imports as Node does: what a plan's own `.ts` tool may not say fails in tests too.
    experimental: { viteModuleRunner: false },
    projects: [
      { extends: true, test: { name: "unit", include: ["{packages,tools}/*/test/**/*.test.ts"] } },
      { extends: true, test: { name: "cross", include: ["test/**/*.test.ts"] } },
    ],
  },
});
