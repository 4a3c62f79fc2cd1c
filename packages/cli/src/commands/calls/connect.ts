import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { Argument, type Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { printable } from "../../screen/printable.ts";
import { mcpClients, type McpClient } from "./connect-clients.ts";

interface Options {
  readonly json?: true;
  readonly remove?: true;
  readonly yes?: true;
  readonly name: string;
}

/** `toolmount connect <client> [plan]`: an entry for this plan in the client's own list of MCP servers. */
export function define(command: Command, shell: Shell): void {
  command
    .addArgument(new Argument("<client>", "the application").choices(mcpClients.map(({ name }) => name)))
    .argument("[plan]", planArgument)
    .option("--name <name>", "what the entry is called", "toolmount")
    .option("--remove", "remove the entry again")
    .option("-y, --yes", "write without asking")
    .option(...jsonOption)
    .action(async (name: string, plan: string | undefined, options: Options) => {
      const client = mcpClients.find((known) => known.name === name)!;
      shell.end(await connect(client, plan ?? shell.settings.plan, options, shell));
    });
  addExamples(command, ["toolmount connect claude-code", "toolmount connect cursor --remove"]);
}

/** A change of a client's file that has not been made yet. */
interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The entry as it would be; undefined when it is removed. */
  readonly entry: Readonly<Record<string, unknown>> | undefined;
  /** Variables that the plan reads and that the client's file cannot refer to. */
  readonly missing: readonly string[];
}

async function connect(
  client: McpClient,
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const change = await planChange(client, plan, options, shell);
  const isNew = change.after !== change.before;
  const written = isNew && (await isAgreed(change, client, options, shell));
  if (written) await writeWhole(change.file, change.after);
  const { file, entry, missing } = change;
  if (options.json === true)
    shell.out.json({ client: client.name, file, entry: entry ?? null, written, missing });
  else report(change, { isNew, written }, shell);
  return exitCodes.done;
}

async function planChange(
  client: McpClient,
  plan: string | undefined,
  { name, remove }: Options,
  shell: Shell,
): Promise<Change> {
  const file = client.file(shell);
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const { entry, missing } =
    remove === true ? { entry: undefined, missing: [] } : await describeEntry(client, plan, shell);
  return { file, before, after: await edit(before, [client.key, name], entry, file), entry, missing };
}

/** How the client starts this command: with the very program that runs now, whatever folder the client is in. */
async function describeEntry(client: McpClient, plan: string | undefined, { cwd }: Shell) {
  const { findPlan } = await import("@toolmount/loader/commands");
  const path = resolve(cwd, await findPlan(plan, cwd));
  const names = variablesOf(await readFile(path, "utf8"));
  const env = client.variable === null ? [] : names.map((name) => [name, client.variable!(name)] as const);
  const args = [...process.execArgv, process.argv[1] ?? "toolmount", "serve", path, "--stdio"];
  const entry = {
    ...client.extra,
    command: process.execPath,
    args,
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
  };
  return { entry, missing: client.variable === null ? names : [] };
}

/** Variables that a plan needs: those with a default are not among them. */
function variablesOf(text: string): string[] {
  const found = [...text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => name);
  return [...new Set(found)];
}

/** The text of a client's file with another value at a path; comments and the style of the file stay. */
async function edit(text: string, path: readonly string[], value: unknown, file: string): Promise<string> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  const parsed: unknown = parse(text === "" ? "{}" : text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof parsed !== "object" || parsed === null)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `${file} is not JSON with comments; correct it first`,
    });
  if (value === undefined && !has(parsed, path)) return text;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.includes("\t"), tabSize: indent.length, eol: "\n" };
  const edited = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  return edited.endsWith("\n") ? edited : `${edited}\n`;
}

function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    key in value &&
    has((value as Record<string, unknown>)[key], rest)
  );
}

/** Shows what would be written, and asks at a terminal. */
async function isAgreed(change: Change, client: McpClient, options: Options, shell: Shell): Promise<boolean> {
  if (options.yes === true) return true;
  if (options.json === true || shell.terminal === undefined) return false;
  shell.err.line(describe(change));
  const { confirm } = await import("@clack/prompts");
  const message = `Write this to the list of ${client.name}?`;
  return (await confirm({ ...shell.terminal, message })) === true;
}

function describe({ file, entry }: Change): string {
  if (entry === undefined) return `${printable(file)}: the entry is removed`;
  return `${printable(file)}:\n${printable(JSON.stringify(entry, null, 2))}`;
}

function report(
  change: Change,
  { isNew, written }: { isNew: boolean; written: boolean },
  { out }: Shell,
): void {
  const { file, missing, entry } = change;
  if (!isNew) {
    out.line(`${printable(file)} is as it should be already`);
    return;
  }
  if (written)
    out.line(
      `${out.paint("green", "✔")} ${printable(file)}: ${entry === undefined ? "entry removed" : "entry written"}`,
    );
  else {
    out.line(describe(change));
    out.line("nothing is written; --yes writes it");
  }
  for (const name of missing)
    out.line(
      `  ${out.paint("yellow", "set")} ${printable(name)} under "env" of the entry: this client does not read variables`,
    );
}

async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const beside = `${file}.toolmount-new`;
  await writeFile(beside, text);
  await rename(beside, file);
}
