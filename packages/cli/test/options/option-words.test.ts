import { Command } from "commander";
import { expect, test } from "vitest";
import { commandGroups, type CommandRow } from "../../src/commands.ts";
import { addGlobalOptions } from "../../src/options/global-options.ts";
import { readOidc } from "../../src/commands/calls/serve.ts";

/** Most words of options that a person can meet. This number only goes down. */
const mostWords = 87;

/** The help of every command, as a person finds it. */
async function define(parent: Command, rows: readonly CommandRow[]): Promise<void> {
  for (const { name, load, commands = [] } of rows) {
    const command = parent.command(name);
    (await load()).define(command, {} as never);
    await define(command, commands);
  }
}

/** The command with all its options, as a person finds it. */
async function defineAll(): Promise<Command> {
  const program = new Command("toolmount").option("-V, --version").option("-h, --help");
  // The narrowest terminal that is common.
  program.configureOutput({ getOutHelpWidth: () => 80 });
  addGlobalOptions(program);
  await define(
    program,
    commandGroups.flatMap(({ commands }) => commands),
  );
  return program;
}

/** Most lines of a help: more do not fit a screen. */
const mostLines = 45;

function helpsOf(command: Command): readonly (readonly [name: string, lines: number])[] {
  const own = [command.name(), command.helpInformation().trimEnd().split("\n").length] as const;
  return [own, ...command.commands.flatMap(helpsOf)];
}

function wordsOf(command: Command): readonly string[] {
  const own = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "");
  return [...own, ...command.commands.flatMap(wordsOf)];
}

test("the command has no more option words than it had", async () => {
  expect(new Set(wordsOf(await defineAll())).size).toBe(mostWords);
});

test("the help of each command fits a screen", async () => {
  const helps = helpsOf(await defineAll());

  expect(helps.filter(([, lines]) => lines > mostLines)).toEqual([]);
});

test("the words of --oidc make one provider, and a wrong one is refused with the nearest", () => {
  const issuer = readOidc("issuer=https://id.example");

  expect(readOidc("scope=openid offline_access", issuer)).toEqual({
    issuer: "https://id.example",
    scope: "openid offline_access",
  });
  expect(() => readOidc("isuer=https://id.example")).toThrow("Did you mean issuer=…?");
  expect(() => readOidc("issuer")).toThrow("Give issuer=…, audience=…");
  expect(() => readOidc("issuer=")).toThrow("Give issuer=…");
});
