import { readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createGlob, createGrep, type Settings } from "@toolmount/tool-search";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

/** What each file of the world holds, the newest first. Folders are newer still. */
const world: Readonly<Record<string, string>> = {
  "notes.txt": "alpha\nbeta\ngamma\ndelta\nbeta two\nepsilon\nzeta\neta\ntheta\nbeta three",
  "src/a.ts": "export const beta = 1;\r\n\r\nuse(beta);\r\n",
  "src/b.py": "BETA = 2\n",
  "src/deep/c.md": "# beta\n\nbeta\nbeta\n\nend\n",
  "src/deep/long.txt": `${"x".repeat(1994)}needle\n${"y".repeat(1995)}needle\n${"z".repeat(3000)}needle${"w".repeat(3000)}\n`,
  ".hidden": "beta\n",
  ".gitignore": "*.log\n",
  "a.log": "beta\n",
  "node_modules/m/index.js": "beta\n",
  "other/node_modules/n.js": "beta\n",
};

function plant() {
  const folder = scratch(world);
  for (const [at, name] of Object.keys(world).entries())
    utimesSync(folder.path(name), 5_000_000 - at, 5_000_000 - at);
  for (const [at, name] of ["src", "src/deep"].entries())
    utimesSync(folder.path(name), 6_000_000 + at, 6_000_000 + at);
  symlinkSync("src", folder.path("link"));
  symlinkSync("notes.txt", folder.path("alias.txt"));
  return folder;
}

/** Calls, each with the settings of the module where it has some, and the whole answer. */
const cases = readFileSync(join(import.meta.dirname, "answers.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [call = "", ...rest] = group.split("\n");
    const [, name = "", given = ""] = /^(\w+) (.*)$/.exec(call)!;
    const settings = rest[0]?.startsWith("with ") === true ? rest.shift()!.slice(5) : "{}";
    return { name, given, settings, answer: rest };
  });

test.each(cases)(
  "$name $given with $settings answers as it says",
  async ({ name, given, settings, answer }) => {
    const folder = plant();
    const all = { working_dir: folder.base, ...(JSON.parse(settings) as Settings) };
    const tool = name === "glob" ? createGlob(all) : createGrep(all);
    const {
      tool: _,
      fetchedAt: __,
      ...result
    } = (await tool.execute(JSON.parse(given) as Record<string, unknown>)) as unknown as Record<
      string,
      unknown
    >;

    expect(linesOf(result)).toEqual(answer);
  },
);

/** A line for each member, and one for each item of a long list. */
function linesOf(value: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === "data") return linesOf(member as Readonly<Record<string, unknown>>);
    if (Array.isArray(member))
      return [`${key}:`, ...member.map((item) => `  ${shorten(JSON.stringify(item))}`)];
    return [`${key}: ${JSON.stringify(member)}`];
  });
}

/** Runs of one letter say how long they are. */
function shorten(text: string): string {
  return text.replaceAll(/(\w)\1{20,}/g, (run) => `${run[0]}×${run.length}`);
}
