import { readServer, writeServer, type FoundServer } from "../scaffold/find-server.ts";
import type { WantedVariable } from "../scaffold/server-inputs.ts";
import { readJsonObject } from "../options/json-option.ts";
import { askWhether } from "../process/choose.ts";
import { exitCodes } from "../process/exit-codes.ts";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { withStatus } from "../process/with-status.ts";
import { reportEdit } from "../render/edit.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { lockNew, writeLocked } from "./lock-new.ts";

interface Options {
  readonly json?: true;
  readonly yes?: true;
  readonly entry?: string;
  readonly registry?: string;
  readonly type?: string;
  readonly config?: string;
  readonly rehearse?: true;
  readonly load: boolean;
}

/**
 * Adds an MCP server that a `server.json` describes: shows the program that would run, asks, writes the entry, and locks the
 * server's tools.
 */
export async function addServer(
  wanted: string,
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<void> {
  const { registry, type, config, json } = options;
  const isOfModules = type === "tool" || type === "hook";
  if (isOfModules || config !== undefined)
    throw usageError(
      `--${isOfModules ? `type ${type}` : "config"} is for a module, and ${wanted} is an MCP server`,
    );
  const { id, prefix } = readNames(options.entry);
  const machine = { env: shell.env, isSeen: isAsked(options, shell) };
  const found = await readServer({ server: wanted, registry, id, prefix, type, machine }, shell.cwd);
  const { choice } = found;
  if (!(await isAgreed(found, options, shell))) {
    if (json === true) shell.out.json({ ...describe(found), added: [] });
    else {
      writeServerFacts(found, shell.out);
      shell.out.line("nothing is written; --yes writes it, and starts the server to lock its tools");
    }
    return shell.end(exitCodes.done);
  }
  const report = await writeServer(found, plan, shell.cwd);
  const locks = options.load && report.added.length > 0;
  const locked = locks
    ? await withStatus(shell, "reading definitions", () => lockNew(report.file, report.added, shell))
    : undefined;
  reportEdit(report, shell, json === true, { ...describe(found), locked });
  if (json === true) return;
  if (report.added.length > 0) for (const each of choice.variables) writeVariable(each, shell);
  if (locked !== undefined) writeLocked(locked, shell);
}

/** Reads the id and the prefix from `--entry`. Everything else in a server's entry comes from its `server.json`. */
function readNames(text: string | undefined): { readonly id?: string; readonly prefix?: string } {
  const entry = readJsonObject("--entry", text) ?? {};
  const other = Object.entries(entry).find(
    ([key, value]) => !/^(?:id|prefix)$/.test(key) || typeof value !== "string",
  );
  if (other !== undefined)
    throw usageError(`--entry of an MCP server has an id and a prefix, and no ${JSON.stringify(other[0])}`);
  return entry;
}

function writeVariable({ name, isSet, description }: WantedVariable, { out }: Shell): void {
  const why = description === "" ? "" : ` ${out.paint("dim", printable(`(${description})`))}`;
  const does = isSet ? "it gets" : "set";
  out.line(`  ${out.paint("yellow", does)} the environment variable ${printable(name)}${why}`);
}

function describe({ server: { name, version }, choice: { kind, runs, variables, left } }: FoundServer) {
  return { server: { name, version }, kind, runs, variables, left };
}

/** Tests whether the person at the terminal is asked before the server is added. */
function isAsked({ yes, json, rehearse }: Options, { terminal }: Shell): boolean {
  return terminal !== undefined && yes !== true && json !== true && rehearse !== true;
}

/**
 * Shows what would run and asks the person at the terminal. Without a question, the answer is yes only with `--yes` and without
 * `--rehearse`.
 */
async function isAgreed(found: FoundServer, options: Options, shell: Shell): Promise<boolean> {
  const { err, terminal } = shell;
  if (terminal === undefined || !isAsked(options, shell))
    return options.yes === true && options.rehearse !== true;
  writeServerFacts(found, err);
  const message = options.load ? "Add it, and start it to lock its tools?" : "Add it?";
  return (await askWhether(err, terminal, { message })) === true;
}

function writeServerFacts({ server, choice }: FoundServer, screen: Screen): void {
  const { name, version, description } = server;
  const line = (title: string, text: string) =>
    screen.line(`  ${screen.paint("dim", title.padEnd(8))} ${printable(text)}`);
  screen.line(`${screen.paint("bold", printable(`${name} ${version}`))}  ${printable(description)}`);
  line(choice.kind === "remote" ? "reaches" : "runs", choice.runs);
  for (const wanted of choice.variables) line(titleOf(wanted), describeVariable(wanted));
  for (const wanted of choice.left) line("left out", describeVariable(wanted));
}

function titleOf({ isSecret, isSet }: WantedVariable): string {
  if (isSet) return "gets";
  return isSecret ? "secret" : "wants";
}

function describeVariable({ name, isSet, description }: WantedVariable): string {
  const value = isSet ? `${name}, which is set on this machine` : name;
  return description === "" ? value : `${value} (${description})`;
}
