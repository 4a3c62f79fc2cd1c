import type { JsonObject, ToolInfo } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";
import { nearestNames } from "@toolmount/core/text";
import type { OpenedHost } from "@toolmount/loader";
import { readJson } from "../options/json-option.ts";
import { fitTexts, parseInner } from "../options/call-text.ts";
import { readPairs, readText, type CallOperands } from "../options/operands.ts";
import { askWhether } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { interruption } from "../process/signals.ts";
import { jsonText, printable } from "../screen/printable.ts";
import { askArguments, missingArguments } from "./argument-form.ts";

/** A call in the form that the host accepts. */
interface CallRequest {
  readonly name: string;
  /** An object, or JSON text that the host parses; undefined if the person gave none. */
  readonly arguments: JsonObject | string | undefined;
}

/**
 * Reads the tool and the arguments of a call. At a terminal, asks the person whether a tool with a similar name was meant, and
 * for required arguments that are missing. Ctrl-C in a question aborts `controller`.
 */
export async function readRequest(
  operands: CallOperands,
  host: OpenedHost,
  shell: Shell,
  controller: AbortController,
): Promise<CallRequest> {
  const tools = host.tools();
  const written = tools.find(
    ({ name, aliases }) => name === operands.tool || aliases.includes(operands.tool),
  );
  const tool = written ?? (await askName(operands.tool, tools, shell, controller));
  const given = await readArguments(operands, tool, shell);
  const name = tool?.name ?? operands.tool;
  if (tool === undefined || typeof given === "string" || shell.terminal === undefined)
    return { name, arguments: given };
  const missing = missingArguments(tool.inputSchema, given ?? {});
  if (missing.length === 0) return { name, arguments: given };
  const answers = await askArguments(tool.inputSchema, missing, {
    screen: shell.err,
    terminal: shell.terminal,
    signal: controller.signal,
  });
  if (answers === null) throw leave(controller);
  const whole = { ...given, ...answers };
  shell.err.line(
    shell.err.paint(
      "dim",
      `toolmount call ${printable(name)} '${jsonText(whole, 0).replaceAll("'", String.raw`'\''`)}'`,
    ),
  );
  return { name, arguments: whole };
}

async function readArguments(
  { text, pairs, written }: CallOperands,
  tool: ToolInfo | undefined,
  shell: Shell,
): Promise<JsonObject | string | undefined> {
  if (written !== undefined) return parseInner(written);
  if (pairs.length === 0) {
    if (text === undefined) return undefined;
    if (text === "-") return readInput(shell);
    await refuseMistake(text, tool?.name ?? "<tool>");
    await refuseDouble(text);
    return text;
  }
  const read = await readPairs(pairs, shell.cwd);
  return tool === undefined ? read.arguments : fitTexts(read.arguments, read.texts, tool.inputSchema);
}

async function readInput({ input }: Shell): Promise<string> {
  const text = await readText(input);
  if (text.trim() !== "") return text;
  throw usageError(
    `standard input is empty; give it the arguments as JSON: echo '{"name":"value"}' | toolmount call …`,
  );
}

/**
 * Throws `USAGE_INVALID` for an object that has a name twice, because a person meant only one of its values. It scans the text
 * without recursion, because JSON can be nested deeper than the stack allows.
 */
async function refuseDouble(text: string): Promise<void> {
  const { createScanner } = await import("jsonc-parser");
  const scanner = createScanner(text, true);
  const open: (Set<string> | null)[] = [];
  let name = "";
  for (let token: number = scanner.scan(); token !== kinds.end; token = scanner.scan()) {
    if (token === kinds.text) name = scanner.getTokenValue();
    if (token === kinds.objectBegin) open.push(new Set());
    if (token === kinds.listBegin) open.push(null);
    if (token === kinds.objectEnd || token === kinds.listEnd) open.pop();
    const names = token === kinds.colon ? open.at(-1) : undefined;
    if (names?.has(name)) throw usageError(`${printable(name)} is given twice; give it once`);
    names?.add(name);
  }
}

/**
 * Numbers of tokens as jsonc-parser scans them. The package's own names for them are a const enum, which does not exist at run
 * time.
 */
const kinds = { objectBegin: 1, objectEnd: 2, listBegin: 3, listEnd: 4, colon: 6, text: 10, end: 17 };

/**
 * Throws `USAGE_INVALID` for arguments that are not JSON. The error shows the place of the mistake, and how to write the same
 * call without JSON.
 */
async function refuseMistake(text: string, tool: string): Promise<void> {
  try {
    readJson("the text of the arguments", text);
  } catch (error) {
    const words = await wordsOf(text);
    throw usageError(`${(error as Error).message}\nwrite toolmount call ${printable(tool)} ${words}`);
  }
}

/** Returns the arguments that a text probably means, in the form `city=Oslo`; `name=value` if they cannot be guessed. */
async function wordsOf(text: string): Promise<string> {
  const { parseFlowMap } = await import("../options/flow-map.ts");
  const inner = text.trim().replace(/^\{/, "").replace(/\}$/, "");
  const read = [inner, inner.replaceAll(":", ": ")].map(parseFlowMap).find(({ ok }) => ok);
  if (read?.ok !== true || Object.keys(read.value).length === 0) return "name=value";
  const pairs = Object.entries(read.value).map(([name, value]) =>
    typeof value === "string" ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
  );
  return pairs
    .map((pair) => (/^[\w.:=/@-]+$/.test(pair) ? pair : `'${pair.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}

/**
 * Asks whether a person meant the tool with the most similar name. Undefined without a terminal, if no name or several names are
 * similar, or after a no.
 */
async function askName(
  written: string,
  tools: readonly ToolInfo[],
  { terminal, err }: Shell,
  controller: AbortController,
): Promise<ToolInfo | undefined> {
  const names = tools.map(({ name }) => name);
  const [near, ...others] = nearestNames(written, names);
  if (terminal === undefined || near === undefined || others.length > 0) return undefined;
  const message = `There is no tool ${printable(written)}. Call ${printable(near)}?`;
  const answer = await askWhether(err, terminal, { signal: controller.signal, message });
  if (answer === undefined) throw leave(controller);
  return answer ? tools.find(({ name }) => name === near) : undefined;
}

function leave(controller: AbortController): ToolmountError {
  controller.abort(interruption("SIGINT"));
  return new ToolmountError("CANCELLED", {});
}
