import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, workspace } from "../support/workspace.ts";

const entry = "tools: [{ module: hello-world }]\n";

test.each([
  ["nothing", ""],
  ["an unclosed list", "tools: [a\n"],
  ["a cycle", "tools: &s { x: *s }\n"],
  ["a key twice", `${entry}${entry}`],
  [
    "a deep __proto__",
    "tools:\n  - module: hello-world\n    config: { b: { __proto__: { polluted: 1 } } }\n",
  ],
  ["15,000 nested lists", `tools: ${"[".repeat(15_000)}${"]".repeat(15_000)}\n`],
  ["100,000 keys", Array.from({ length: 100_000 }, (_, index) => `k${index}: 1\n`).join("")],
  ["escape codes in a key", `version: 1\n"\\e[2Jx": 1\n${entry}`],
])("check refuses a plan of %s with its place", async (_, text) => {
  const { run } = await workspace({ "plan.yaml": text });
  const { code, stdout, stderr } = await run(["check", "plan.yaml"]);

  expect(code).toBe(78);
  expect(stdout).toMatch(/^[A-Z_]+ plan\.yaml:\d+:\d+$/m);
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*\.[jt]s:\d+|(?!\n)\p{Cc}/u);
});

const sample = join(root, "../shared/fixtures/security/yaml-plans.json");

interface Sample {
  readonly id: string;
  readonly yaml?: string;
  readonly parts?: readonly (string | { readonly repeat: string; readonly times: number })[];
  readonly outcome: string;
}

test("check answers the shared sample of hostile plans as it says", async ({ skip }) => {
  skip(!existsSync(sample), `${sample} does not exist; only this file's table was tried`);
  const { items } = JSON.parse(readFileSync(sample, "utf8")) as { items: Sample[] };
  const text = ({ yaml, parts = [] }: Sample) =>
    (yaml ?? parts.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join(""))
      .replaceAll("@TOOLS@", "tools")
      .replaceAll("@MODULE@", "module")
      .replaceAll("@CONFIG@", "config")
      .replaceAll("@CALC@", "hello-world");
  const { run } = await workspace(Object.fromEntries(items.map((item) => [`${item.id}.yaml`, text(item)])));

  for (const { id, outcome } of items) {
    const { code, stdout } = await run(["check", `${id}.yaml`]);
    expect([id, code]).toEqual([id, outcome === "ok" ? 0 : 78]);
    if (outcome !== "ok") expect(stdout).toContain(`${id}.yaml:`);
  }
});
