import type { ParseError } from "jsonc-parser";
import { ToolmountError, type JsonObject } from "@toolmount/core";
import { findSecrets } from "@toolmount/core/scan";
import { namesSecret } from "@toolmount/core/text";
import type { NewEntry } from "@toolmount/loader/commands";
import { isObject } from "../plan-tests/refuse.ts";

/** Entries and variables from another application's list of MCP servers. */
export interface ServerList {
  readonly entries: readonly NewEntry[];
  /** Variables that the entries read, each with the server and setting that needs it. */
  readonly variables: readonly { readonly name: string; readonly because: string }[];
  /** Names of servers that the list switches off. */
  readonly disabled: readonly string[];
}

/**
 * Reads the list of MCP servers of Claude Desktop, Cursor (`mcpServers`) or VS Code (`servers`, or `mcp.servers` of its
 * settings) as entries of a plan. Comments and trailing commas are allowed. A secret becomes a variable,
 * because it does not belong in a plan: it is known by its name, or by its shape.
 *
 * Throws `USAGE_INVALID` when the text is not such a list.
 */
export async function readServerList(text: string): Promise<ServerList> {
  const servers = findServers(await parseSettings(text));
  const disabled = Object.keys(servers).filter((name) => isDisabled(servers[name]));
  const variables = new Map<string, string>();
  const enabled = Object.entries(servers).filter(([name]) => !disabled.includes(name));
  const entries = enabled.map(([name, server]): NewEntry => {
    const mcp = isObject(server) ? readServer(name, server, variables) : undefined;
    if (mcp === undefined) return refuse(`server "${name.slice(0, 100)}" has neither a command nor a url`);
    // A server that is away keeps no other from being used.
    return { module: name, source: { mcp }, prefix: prefixOf(name), required: false };
  });
  return { entries, variables: [...variables].map(([name, because]) => ({ name, because })), disabled };
}

/** Applications write `disabled: true` or `enabled: false` for a server that they do not start. */
function isDisabled(server: unknown): boolean {
  return isObject(server) && (server["disabled"] === true || server["enabled"] === false);
}

/** Parses JSON with comments and trailing commas. Throws `USAGE_INVALID` with the line of the mistake. */
export async function parseSettings(text: string): Promise<unknown> {
  const { parse: parseJsonc, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const list: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return list;
  const line = text.slice(0, first.offset).split("\n").length;
  return refuse(`the list is not JSON: ${printParseErrorCode(first.error)} in line ${line}`);
}

function findServers(list: unknown): Readonly<Record<string, unknown>> {
  const mcp = isObject(list) && isObject(list["mcp"]) ? list["mcp"]["servers"] : undefined;
  const found = isObject(list) ? [list["mcpServers"], list["servers"], mcp].find(isObject) : undefined;
  return found ?? refuse('the list has neither "mcpServers" nor "servers"');
}

type Variables = Map<string, string>;

function readServer(
  name: string,
  server: Readonly<Record<string, unknown>>,
  variables: Variables,
): JsonObject | undefined {
  const { command, args, env, cwd, url, serverUrl, headers } = server;
  const at = [url, serverUrl].find((one) => typeof one === "string");
  const text = (value: string) => readText(value, name, variables);
  const secrets = (map: unknown) => (isObject(map) ? readMap(map, name, variables) : undefined);
  if (typeof command === "string")
    return present({
      command: text(command),
      args: Array.isArray(args) ? readArguments(args.map(String), name, variables) : undefined,
      env: secrets(env),
      cwd: typeof cwd === "string" ? text(cwd) : undefined,
    });
  return typeof at === "string"
    ? present({ url: readUrl(text(at), name, variables), headers: secrets(headers) })
    : undefined;
}

function readMap(map: Readonly<Record<string, unknown>>, server: string, variables: Variables): JsonObject {
  const members = Object.entries(map).map(([key, value]): [string, string] => {
    const text = readText(String(value), `${server}, ${key}`, variables);
    if (!holdsSecret(key, text)) return [key, text];
    return [key, addVariable(variableOf(`${server}_${key}`, key), `${server}, ${key}`, variables)];
  });
  return Object.fromEntries(members);
}

/** Arguments of a program. A secret is known by its flag, `--token x` or `--token=x`, or by its shape. */
function readArguments(args: readonly string[], server: string, variables: Variables): string[] {
  return args.map((arg, at) => {
    const [, flag = "", written = arg] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
    const before = args[at - 1] ?? "";
    const name = flag !== "" || !/^--?[\w-]+$/.test(before) || arg.startsWith("-") ? flag : before;
    const because = `${server}, ${name === "" ? `argument ${at + 1}` : name}`;
    const text = readText(written, because, variables);
    const whole = (value: string) => (flag === "" ? value : `${flag}=${value}`);
    if (!holdsSecret(name, text)) return whole(text);
    const long = `${server}_${name.replace(/^-+/, "") || `argument_${at + 1}`}`;
    return whole(addVariable(foldName(long), because, variables));
  });
}

/** An address. A secret is known by the name of its parameter, or by its shape. */
function readUrl(url: string, server: string, variables: Variables): string {
  return url.replaceAll(/(?<=[?&]([\w.-]+)=)[^&#]+/g, (value, name: string) => {
    if (!holdsSecret(name, value)) return value;
    return addVariable(foldName(`${server}_${name}`), `${server}, ${name}`, variables);
  });
}

/** Whether a value that is written out is a secret, by its name or its shape. */
function holdsSecret(name: string, value: string): boolean {
  if (value === "" || /^[^$]*\$\{[A-Za-z_]\w*\}$/.test(value)) return false;
  return namesSecret(name) || /(?:^|[_-])key$/i.test(name) || findSecrets(value).length > 0;
}

/** Names of environment variables stay; the name for a header begins with the name of its server. */
function variableOf(long: string, key: string): string {
  return /^[A-Z_][A-Z0-9_]*$/.test(key) ? key : foldName(long);
}

function foldName(name: string): string {
  return name
    .replaceAll(/\W+/g, "_")
    .toUpperCase()
    .replace(/^(?=\d)/, "_");
}

/** Takes note of a variable, and returns how a plan refers to it. */
function addVariable(name: string, because: string, variables: Variables): string {
  variables.set(name, because);
  return `\${${name}}`;
}

/** Rewrites variables of other applications as variables of a plan, and escapes text that only looks like one. */
function readText(text: string, because: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(?:(env|input):)?([^{}]*)\}|\$\{/g,
    (whole, kind: string | undefined, name?: string) => {
      if (kind === undefined && name === "workspaceFolder") return ".";
      if (kind === undefined || name === undefined) return `$${whole}`;
      return addVariable(variableOf(name, name), because, variables);
    },
  );
}

/** The prefix of the tools of a server that was imported under a name. */
export function prefixOf(name: string): string {
  return `${
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 32) || "mcp"
  }_`;
}

function present(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}

function refuse(problem: string): never {
  throw new ToolmountError("USAGE_INVALID", { problem });
}
