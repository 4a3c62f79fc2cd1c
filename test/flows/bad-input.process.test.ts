import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { commandFile, nodeFlags } from "../support/program.ts";

const head = ["version: 1", "tools:", "  - module: ./bank.ts", "policy:", "  flows:"].join("\n");

/** What `toolmount check` says of a plan with these lines of `flows`, which begin on line 6. */
async function check(lines: string) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-bad-flows-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(import.meta.dirname, "bill/bank.ts"), join(folder, "bank.ts"));
  await symlink(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "plan.yaml"), `${head}\n${lines.replaceAll(/^/gm, "  ")}\n`);
  const words = [...nodeFlags, commandFile, "check", "plan.yaml"];
  const run = promisify(execFile)(process.execPath, words, { cwd: folder });
  return run.catch((error: unknown) => error as { readonly code: number; readonly stdout: string });
}

test.each([
  [
    "a trust that does not exist",
    "  results:\n    - { match: { tool: read_mail }, fields: { '*.from': structurd } }",
    ["plan.yaml:7:59", "the trust of a result is trusted, structured, contact, identity or untrusted"],
  ],
  [
    "a source that does not exist",
    "  into:\n    - { match: { tool: send_money }, from: [user, identty] }",
    ["plan.yaml:7:53", "a source is user, identity, trusted"],
  ],
  [
    "a key that no line has",
    "  into:\n    - { match: { tool: send_money }, audence: user }",
    ["plan.yaml:7:40", 'unknown key "audence"; did you mean "audience"?'],
  ],
  [
    "an argument that no tool has",
    "  into:\n    - { match: { tool: send_money }, control: [recipent] }",
    ["plan.yaml:7:50", 'has the argument "recipent"; did you mean "recipient"?'],
  ],
  [
    "an audience that no tool has",
    "  into:\n    - { match: { tool: send_money }, audience: [recipent] }",
    ["plan.yaml:7:51", 'has the argument "recipent"; did you mean "recipient"?'],
  ],
  [
    "a source that nothing can give",
    "  into:\n    - { match: { tool: send_money }, from: [user, contact] }",
    ["plan.yaml:7:53", "nothing is contact: no line of results says it"],
  ],
  [
    "a tool that the plan does not have",
    "  results:\n    - { match: { tool: read_mial }, trust: trusted }",
    ["plan.yaml:7:18", "this line can never match"],
  ],
])("%s is reported with its place", async (_, lines, said) => {
  const { code, stdout } = (await check(lines)) as { readonly code: number; readonly stdout: string };
  for (const words of said) expect(stdout).toContain(words);
  expect(code).toBe(78);
});
