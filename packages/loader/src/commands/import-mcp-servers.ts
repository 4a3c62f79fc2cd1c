import { messageOf } from "@toolmount/core/errors";
import { ToolmountError, type JsonObject } from "@toolmount/core";
import { namesSecret } from "@toolmount/core/redact";
import type { NewEntry } from "./edit-plan.ts";
import { isRecord } from "../diagnostics/json.ts";

/** What was read of another application's list of MCP servers. */
export interface ServerList {
  readonly entries: readonly NewEntry[];
  /** Variables that the entries read, and what for: their values stood in the list, or were asked for. */
  readonly variables: readonly { readonly name: string; readonly because: string }[];
}

/**
 * Reads the list of MCP servers of Claude Desktop, Cursor (`mcpServers`) or VS Code (`servers`, or `mcp.servers` of its
 * settings), comments and trailing commas included. A value under the name of a secret becomes a variable: secrets do
 * not belong into plans.
 *
 * Throws `USAGE_INVALID` when the text is no such list.
 */
export function readServerList(text: string): ServerList {
  const servers = findServers(parse(text));
  const variables = new Map<string, string>();
  const entries = Object.entries(servers).map(([name, server]): NewEntry => {
    const mcp = isRecord(server) ? readServer(name, server, variables) : undefined;
    if (mcp === undefined) return refuse(`server "${name.slice(0, 100)}" has neither a command nor a url`);
    return { module: name, source: { mcp }, prefix: prefixOf(name) };
  });
  return { entries, variables: [...variables].map(([name, because]) => ({ name, because })) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(withoutComments(text));
  } catch (cause) {
    return refuse(`the list is not JSON: ${messageOf(cause)}`);
  }
}

/** Strings are kept whole; comments, and commas before a closing bracket, go. */
function withoutComments(text: string): string {
  const parts = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const plain = text.replaceAll(parts, (_, string: string | undefined) => string ?? "");
  return plain.replaceAll(
    /("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g,
    (_, string: string | undefined) => string ?? "",
  );
}

function findServers(list: unknown): Readonly<Record<string, unknown>> {
  const mcp = isRecord(list) && isRecord(list["mcp"]) ? list["mcp"]["servers"] : undefined;
  const found = isRecord(list) ? [list["mcpServers"], list["servers"], mcp].find(isRecord) : undefined;
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
  const text = (value: string, key = "") =>
    readText(value, `${name}${key === "" ? "" : `, ${key}`}`, variables);
  const secrets = (map: unknown) => (isRecord(map) ? readMap(map, name, variables) : undefined);
  if (typeof command === "string")
    return present({
      command: text(command),
      args: Array.isArray(args) ? args.map((arg) => text(String(arg))) : undefined,
      env: secrets(env),
      cwd: typeof cwd === "string" ? text(cwd) : undefined,
    });
  return typeof at === "string" ? present({ url: text(at), headers: secrets(headers) }) : undefined;
}

function readMap(map: Readonly<Record<string, unknown>>, server: string, variables: Variables): JsonObject {
  const members = Object.entries(map).map(([key, value]): [string, string] => {
    const text = readText(String(value), `${server}, ${key}`, variables);
    const isWritten = text !== "" && !/^[^$]*\$\{[A-Za-z_]\w*\}$/.test(text);
    if (!namesSecret(key) || !isWritten) return [key, text];
    const name = variableOf(`${server}_${key}`, key);
    variables.set(name, `${server}, ${key}`);
    return [key, `\${${name}}`];
  });
  return Object.fromEntries(members);
}

/** Environment names are kept as they are; headers get the server's name before theirs. */
function variableOf(long: string, key: string): string {
  const fold = (name: string) =>
    name
      .replaceAll(/\W+/g, "_")
      .toUpperCase()
      .replace(/^(?=\d)/, "_");
  return /^[A-Z_][A-Z0-9_]*$/.test(key) ? key : fold(long);
}

/** Other applications' variables in our words; what only looks like one is written so that it stays as it is. */
function readText(text: string, because: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(?:(env|input):)?([^{}]*)\}|\$\{/g,
    (whole, kind: string | undefined, name?: string) => {
      if (kind === undefined && name === "workspaceFolder") return ".";
      if (kind === undefined || name === undefined) return `$${whole}`;
      const variable = variableOf(name, name);
      variables.set(variable, because);
      return `\${${variable}}`;
    },
  );
}

function prefixOf(name: string): string {
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
