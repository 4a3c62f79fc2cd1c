import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@toolmount/source"] } },
  test: {
    include: ["*.eval.ts"],
    // Only against hanging: a machine under load takes its time.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
