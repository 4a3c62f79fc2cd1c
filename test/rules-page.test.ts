import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeRules } from "./support/rules-page.ts";

const root = join(import.meta.dirname, "..");

test("docs/reference/rules.md ends with every rule, as the validator has it", () => {
  const file = join(root, "docs/reference/rules.md");
  const text = readFileSync(file, "utf8");
  const page =
    process.env["TOOLMOUNT_WRITE"] === "1" ? text.slice(0, text.indexOf("## core")) + writeRules() : text;
  if (page !== text) writeFileSync(file, page);

  expect(squeeze(page.slice(page.indexOf("## core")))).toBe(squeeze(writeRules()));
});

/** The formatter pads tables. */
function squeeze(markdown: string): string {
  return markdown.replaceAll(/-{3,}/g, "---").replaceAll(/ +/g, " ").trim();
}

test("APTIX-14: every package under tools/ runs the suite that a tool module owes, and says what its results leave out", async () => {
  const without: string[] = [];
  for await (const manifest of glob("tools/*/package.json", { cwd: root })) {
    const suite = join(root, manifest, "../test/contract.process.test.ts");
    const text = existsSync(suite) ? await readFile(suite, "utf8") : "";
    if (!text.includes("describeToolModule(module") || !text.includes("partial: {")) without.push(manifest);
  }

  expect(without).toEqual([]);
});
