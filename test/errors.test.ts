import { glob, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { errorCodes } from "@toolmount/core";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** The tools of this repository, and the paths that they share, list their codes in their own usage texts. */
const others = ["testing", "paths", "host-trial"];

test("docs/reference/errors.md explains every code, and no other", async () => {
  const page = await readFile(join(root, "docs/reference/errors.md"), "utf8");
  const sections = page.split(/^#+ (?=[A-Z][A-Z_]+$)/m).slice(1);
  const explained = sections.map((section) => /^.*/.exec(section)?.[0] ?? "");
  const known = new Set([...errorCodes, ...(await codesOfResults())]);

  expect(explained.toSorted()).toEqual([...known].toSorted());
  for (const section of sections) expect(section.split("\n").slice(1).join("").trim(), section).not.toBe("");
});

/** The codes that packages of the host write into results. A code of Node is no code of ours. */
async function codesOfResults(): Promise<readonly string[]> {
  const codes: string[] = [];
  for await (const file of glob("packages/*/src/**/*.ts", { cwd: root })) {
    if (others.includes(file.split(sep)[1]!)) continue;
    const text = await readFile(join(root, file), "utf8");
    codes.push(...[...text.matchAll(/code: "([A-Z]+(?:_[A-Z]+)+)"/g)].map(([, code]) => code!));
  }
  return codes.filter((code) => !code.startsWith("ERR_"));
}
