import type { JsonObject } from "@toolmount/core";
import { findSecrets } from "@toolmount/core/scan";
import { namesSecret } from "@toolmount/core/text";
import type { NewEntry } from "@toolmount/loader/commands";
import { isRecord } from "@toolmount/core/json";
import { parseSettings, refuse } from "./parse-settings.ts";
import {
  chosenTools,
  inOneSpelling,
  isSwitchedOff,
  limitsOf,
  prefixOf,
  settingsLeft,
  switchOff,
} from "./server-settings.ts";

/** What another application's list of MCP servers becomes: entries of a plan, and variables to set. */
export interface ServerList {
  readonly entries: readonly NewEntry[];
  /** Environment variables that the entries read, each with the server and the setting that needs it. */
  readonly variables: readonly { readonly name: string; readonly because: string }[];
  /** What is not added, each with the reason: whole servers, or single settings as `server, setting`. */
  readonly left: readonly { readonly name: string; readonly because: string }[];
}

/**
 * Reads the list of MCP servers of another application as entries of a plan: `mcpServers` of Claude, Cursor, Windsurf, Gemini,
 * Continue and LibreChat, `amp.mcpServers`, `servers` or `mcp.servers` of VS Code, `mcp` of opencode and Crush,
 * `context_servers` of Zed, `mcp_servers` of Codex, `extensions` of Goose. Comments and trailing commas are allowed. References
 * to variables stay references. A secret becomes a variable, because it does not belong in a plan; secrets are recognized by
 * their name or their shape.
 *
 * Throws `USAGE_INVALID` if the text is not such a list, or if none of its servers can be read.
 */
export async function readServerList(text: string): Promise<ServerList> {
  const list = await parseSettings(text);
  const { servers, left } = switchOff(findServers(list), isRecord(list) ? list["tools"] : undefined);
  const variables = new Map<string, string>();
  const problems: string[] = [];
  const entries = Object.entries(servers).flatMap(([name, given]): NewEntry[] => {
    const server = isRecord(given) ? inOneSpelling(given) : undefined;
    const isOff = server !== undefined && isSwitchedOff(server);
    if (isOff) left.push({ name, because: "the list switches it off" });
    if (isOff) return [];
    const mcp = server && readServer(name, server, variables);
    if (mcp === undefined) problems.push(name);
    if (mcp === undefined || server === undefined) return [];
    left.push(...settingsLeft(name, server));
    // The entry is optional, so that a server that is unavailable does not keep the plan from opening.
    return [
      { module: name, source: { mcp }, prefix: prefixOf(name), required: false, tools: chosenTools(server) },
    ];
  });
  const [first] = problems;
  if (first !== undefined && entries.length === 0)
    return refuse(`server "${first.slice(0, 100)}" has neither a command nor a url`);
  left.push(...problems.map((name) => ({ name, because: "it has neither a command nor a url" })));
  return { entries, variables: [...variables].map(([name, because]) => ({ name, because })), left };
}

function findServers(list: unknown): Readonly<Record<string, unknown>> {
  const members = isRecord(list) ? list : {};
  const key = Object.keys(members).find((name) => /(?:^|\.)mcpServers$/.test(name)) ?? "mcpServers";
  const mcp = isRecord(members["mcp"]) ? (members["mcp"]["servers"] ?? members["mcp"]) : undefined;
  const { servers, context_servers: ofZed, mcp_servers: ofCodex, extensions: ofGoose } = members;
  return (
    [byName(members[key]), servers, ofZed, ofCodex, mcp, ofGoose].find(isRecord) ??
    refuse('the list has neither "mcpServers" nor "servers"; toolmount alone shows the lists of this machine')
  );
}

/** Returns the servers of a list by their names; a list of Continue has the name inside each entry. */
function byName(servers: unknown): unknown {
  if (!Array.isArray(servers)) return servers;
  const named = servers.map((server, at): [string, unknown] => {
    const { name = `server ${at + 1}`, ...rest } = isRecord(server) ? server : {};
    return [String(name), rest];
  });
  const isTwice = (name: string, at: number) => named.findIndex(([other]) => other === name) < at;
  return Object.fromEntries(
    named.map(([name, server], at) => [isTwice(name, at) ? `${name} ${at + 1}` : name, server]),
  );
}

type Variables = Map<string, string>;

function readServer(
  name: string,
  server: Readonly<Record<string, unknown>>,
  variables: Variables,
): JsonObject | undefined {
  const { cwd, address, headers, type, transport = type } = server;
  const { command, args, env } = programOf(server);
  const text = (value: string) => readText(value, name, variables);
  const secrets = (map: unknown) => (isRecord(map) ? readMap(map, name, variables) : undefined);
  if (typeof command === "string")
    return present({
      command: text(command),
      args: Array.isArray(args) ? readArguments(args.map(String), name, variables) : undefined,
      env: secrets(env),
      cwd: typeof cwd === "string" ? text(cwd) : undefined,
      ...limitsOf(server),
    });
  return typeof address === "string"
    ? present({
        url: readUrl(text(address), name, variables),
        headers: secrets(headers),
        transport: transport === "sse" ? "sse" : undefined,
        ...limitsOf(server),
      })
    : undefined;
}

/** Returns the program of a server. `command` may also be a list with the arguments (opencode), or a map with `path` (Zed). */
export function programOf({ command, args, env }: Readonly<Record<string, unknown>>) {
  if (isRecord(command))
    return { command: command["path"], args: command["args"], env: command["env"] ?? env };
  const words = typeof args === "string" ? args.split(/\s+/) : args;
  if (!Array.isArray(command)) return { command, args: words, env };
  const [program, ...own] = command.map(String);
  return { command: program, args: [...own, ...(Array.isArray(words) ? (words as unknown[]) : [])], env };
}

function readMap(map: Readonly<Record<string, unknown>>, server: string, variables: Variables): JsonObject {
  const members = Object.entries(map).map(([key, value]): [string, string] => {
    const text = readText(String(value), `${server}, ${key}`, variables);
    if (!holdsSecret(key, text)) return [key, text];
    return [key, addVariable(variableOf(`${server}_${key}`, key), `${server}, ${key}`, variables)];
  });
  return Object.fromEntries(members);
}

/** Reads the arguments of a program. A secret is recognized by its flag, `--token x` or `--token=x`, or by its shape. */
function readArguments(args: readonly string[], server: string, variables: Variables): string[] {
  return args.map((arg, at) => {
    const [, flag = "", written = arg] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
    const before = args[at - 1] ?? "";
    const name = flag !== "" || !/^--?[\w-]+$/.test(before) || arg.startsWith("-") ? flag : before;
    const because = `${server}, ${name === "" ? `argument ${at + 1}` : name}`;
    const text = readText(written, because, variables);
    const whole = (value: string) => (flag === "" ? value : `${flag}=${value}`);
    if (!holdsSecret(name, text) && !assignsSecret(text)) return whole(text);
    const long = `${server}_${name.replace(/^-+/, "") || `argument_${at + 1}`}`;
    return whole(addVariable(foldName(long), because, variables));
  });
}

/** Reads an address. A secret in its query is recognized by the parameter's name or its own form, and becomes a variable. */
function readUrl(url: string, server: string, variables: Variables): string {
  return url.replaceAll(/(?<=[?&]([\w.-]+)=)[^&#]+/g, (value, name: string) => {
    if (!holdsSecret(name, value)) return value;
    return addVariable(foldName(`${server}_${name}`), `${server}, ${name}`, variables);
  });
}

/** Tests whether a value looks like a secret. Of a reference to a variable, only the default is tested. */
function holdsSecret(name: string, value: string): boolean {
  const reference = /^[^$]*\$\{[A-Za-z_]\w*(?::-([^{}]*))?\}[^$]*$/.exec(value);
  if (reference !== null) return findSecrets(reference[1] ?? "").length > 0;
  if (value === "") return false;
  return namesSecret(name) || /(?:^|[_-])key$/i.test(name) || findSecrets(value).length > 0;
}

/** Tests whether an argument contains a command that sets a variable to a secret: `TOKEN=… node server.js`. */
function assignsSecret(text: string): boolean {
  const assigned = [...text.matchAll(/(?:^|\s)([A-Za-z_]\w*)=(\S+)/g)];
  return assigned.some(([, name = "", value = ""]) => holdsSecret(name, value));
}

/**
 * Returns the variable for a secret: `key` if it looks like an environment variable; otherwise, as for a header, `long` in
 * capitals.
 */
function variableOf(long: string, key: string): string {
  return /^[A-Z_][A-Z0-9_]*$/.test(key) ? key : foldName(long);
}

function foldName(name: string): string {
  return name
    .replaceAll(/\W+/g, "_")
    .toUpperCase()
    .replace(/^(?=\d)/, "_");
}

/** Records a variable that the user must set, and returns the reference to it for the plan. */
function addVariable(name: string, because: string, variables: Variables): string {
  variables.set(name, because);
  return `\${${name}}`;
}

/** Variables that VS Code defines itself, with their values in a plan. */
const places: Readonly<Record<string, string>> = {
  workspaceFolder: ".",
  workspaceRoot: ".",
  userHome: "${HOME}",
  pathSeparator: "/",
  "/": "/",
};

/**
 * Rewrites references to variables, such as `{env:A}` of opencode and `${{ secrets.A }}` of Continue, as those of a plan. Escapes
 * what only looks like a reference.
 */
function readText(text: string, because: string, variables: Variables): string {
  const [, scheme = "", whole] = /^((?:[Bb]asic|[Bb]earer|[Tt]oken) )?\$([A-Z_][A-Z0-9_]*)$/.exec(text) ?? [];
  if (whole !== undefined) return `${scheme}${addVariable(whole, because, variables)}`;
  return text
    .replaceAll(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, "${env:$1}")
    .replaceAll(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, "${env:$1}")
    .replaceAll(
      /\$\{(?:(env|input):)?([^{}:]*)(:-[^{}]*)?[^{}]*\}|\$\{/g,
      (found, kind: string | undefined, name?: string, fallback?: string) => {
        if (kind === undefined && name !== undefined && Object.hasOwn(places, name)) return places[name]!;
        if (name === undefined || (kind === undefined && !/^[A-Za-z_]\w*$/.test(name))) return `$${found}`;
        const variable = kind === undefined ? name : variableOf(name, name);
        if (fallback !== undefined) return `\${${variable}${fallback}}`;
        return variable === "HOME" ? "${HOME}" : addVariable(variable, because, variables);
      },
    );
}

function present(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}
