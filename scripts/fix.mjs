// Fixes style and format: `pnpm fix` everywhere, `pnpm fix --changed` only in the files that differ from the last commit.
import { spawnSync } from "node:child_process";

const files = process.argv.includes("--changed") ? changedFiles() : undefined;
if (files?.length === 0) process.exit(0);

const code = /\.(?:[cm]?[jt]s|tsx)$/;
const linted = files?.filter((file) => code.test(file)) ?? [];
const runsLint = files === undefined || linted.length > 0;
// The formatter leaves out the files that it does not know.
const tasks = [
  ...(runsLint ? [["oxlint", "--type-aware", "--fix", ...linted]] : []),
  ["oxfmt", "--no-error-on-unmatched-pattern", ...(files ?? [])],
];
process.exit(Math.max(...tasks.map(([program, ...words]) => run(program, words))));

/** Files that git has, changed or new, and that are still there. */
function changedFiles() {
  const list = (...words) => spawnSync("git", words, { encoding: "utf8" }).stdout.split("\0").filter(Boolean);
  return [
    ...list("diff", "--name-only", "--relative", "--diff-filter=d", "-z", "HEAD"),
    ...list("ls-files", "--others", "--exclude-standard", "-z"),
  ];
}

function run(program, words) {
  return spawnSync(program, words, { stdio: "inherit" }).status ?? 1;
}
