// Builds, runs every check and closes with the line `N passed, N failed`.
import { spawnSync } from "node:child_process";

const { status } = spawnSync("turbo", ["run", "lint", "types", "vitest", "unused", "pack:check"], {
  stdio: "inherit",
});
process.exit(status ?? 1);
