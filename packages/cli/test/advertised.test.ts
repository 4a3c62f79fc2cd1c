import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { commandGroups, type CommandRow } from "../src/commands.ts";
import { addGlobalOptions } from "../src/options/global-options.ts";
import type { Shell } from "../src/process/shell.ts";
import { composeOurs } from "../src/schema/ours.ts";
import { root } from "./support/workspace.ts";

/** Pages that users read. Decisions tell history, and the API's pages are generated from the code. */
const pages = globSync(["README.md", "docs/{,reference/}*.md", "packages/*/README.md", "tools/*/README.md"], {
  cwd: root,
});

/** The views of the operator's page. */
const views = globSync("packages/page/ui/**/*.tsx", { cwd: root });

/** The prefix of short names, the condition for sources, and a mistyped name in an example. */
const examples = new Set(["@toolmount/tool", "@toolmount/source", "@toolmount/tool-filesystm"]);

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** Code of a page: fenced blocks line by line, and what stands between backticks; of a view of the operator's page, what is in `<pre>`. */
function codeOf(page: string): string[] {
  const text = read(page).replaceAll("\\\n", " ");
  if (page.endsWith(".tsx")) return [...text.matchAll(/<pre>([^<{]+)<\/pre>/g)].map(([, code = ""]) => code);
  const fenced = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  return [...fenced, ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)];
}

/** The command with all its options and the commands below it. */
async function createCommands(): Promise<Command> {
  const program = new Command("toolmount").option("-V, --version").option("-h, --help");
  addGlobalOptions(program);
  await addRows(
    program,
    commandGroups.flatMap(({ commands }) => commands),
  );
  return program;
}

async function addRows(parent: Command, rows: readonly CommandRow[]): Promise<void> {
  for (const { name, load, commands = [] } of rows) {
    const command = parent.command(name);
    (await load()).define(command, {} as Shell);
    await addRows(command, commands);
  }
}

/** Options of a command, of those above it and of those below it. */
function optionsOf(command: Command): Set<string> {
  const below = (each: Command): Command[] => [each, ...each.commands.flatMap(below)];
  const above = (each: Command | null): Command[] => (each === null ? [] : [each, ...above(each.parent)]);
  const known = [...below(command), ...above(command)].flatMap(({ options }) => options);
  return new Set([
    "--help",
    ...known.flatMap(({ long }) => (long === undefined || long === null ? [] : [long])),
  ]);
}

/** What a page says to type: the words after `toolmount`. Only words that end before a pipe, a comment or a second command. */
function typedIn(page: string): string[][] {
  return codeOf(page).flatMap((line) => {
    const found = /^(?:\$ )?(?:npx )?toolmount ([a-z].*)$/.exec(line.trim());
    return found === null
      ? []
      : [
          found[1]!
            .split(/[|;&#<>]/)[0]!
            .trim()
            .split(/\s+/),
        ];
  });
}

describe("what help and pages name exists", () => {
  let program: Command;
  beforeAll(async () => {
    program = await createCommands();
  });

  test("every command and option on a page, and on the operator's page", () => {
    const wrong = [...pages, ...views].flatMap((page) =>
      typedIn(page).flatMap(([name = "", ...words]) => {
        const command = program.commands.find((each) => each.name() === name);
        if (command === undefined) return name === "help" ? [] : [`${page}: toolmount ${name}`];
        const known = optionsOf(command);
        return words
          .map((word) => word.replace(/=.*$/, ""))
          .filter((word) => /^--[a-z]/.test(word) && !known.has(word))
          .map((word) => `${page}: toolmount ${name} ${word}`);
      }),
    );

    expect(wrong).toEqual([]);
    expect(pages.flatMap(typedIn).length).toBeGreaterThan(100);
  });

  test("every option of the help is on a page", () => {
    const text = pages.map(read).join("\n");
    const below = (each: Command): Command[] => [each, ...each.commands.flatMap(below)];
    const unknown = below(program).flatMap((command) =>
      command.options
        .map(({ long }) => long ?? "")
        .filter((long) => !new RegExp(`${long}(?![\\w-])`).test(text))
        .map((long) => `${command.name()} ${long}`),
    );

    expect(unknown).toEqual([]);
  });

  test("every package on a page", () => {
    const manifests = globSync(["packages/*/package.json", "tools/*/package.json"], { cwd: root });
    const names = new Set([
      ...manifests.map((file) => (JSON.parse(read(file)) as { name: string }).name),
      ...examples,
    ]);
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/@toolmount\/[a-z][a-z0-9-]*[a-z0-9]/g)].map(([name]) => ({ page, name })),
    );

    expect(named.filter(({ name }) => !names.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(100);
  });

  test("every section of a plan on a page", async () => {
    const { properties } = (await composeOurs([])) as { properties: object };
    const plans = pages.flatMap((page) =>
      [...read(page).matchAll(/^```yaml[^\n]*plan[^\n]*\n([\s\S]*?)^```/gm)].map(([, text = ""]) => ({
        page,
        text,
      })),
    );
    const wrong = plans.flatMap(({ page, text }) =>
      [...text.matchAll(/^([a-zA-Z_]+):/gm)]
        .map(([, section = ""]) => section)
        .filter((section) => !Object.hasOwn(properties, section))
        .map((section) => `${page}: ${section}`),
    );

    expect(wrong).toEqual([]);
    expect(plans.length).toBeGreaterThan(10);
  });
});
