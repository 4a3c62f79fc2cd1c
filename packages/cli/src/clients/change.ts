import { readFile, rm } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isBelow, rewriteText } from "@toolmount/paths";
import { loaderOptions } from "../host/loader-options.ts";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { readServerList } from "../scaffold/read-server-list.ts";
import { editClientText, memberAt, parseClientFile, readClientFile } from "./client-file.ts";
import { findDirectServers, namesInPlan, type DirectServer } from "./direct-servers.ts";
import { writableLists, type McpClient } from "./mcp-clients.ts";
import { copyFile, digestText, readCopy, removeCopy, writeCopy, type MovedServers } from "./moved-servers.ts";

/** A planned change of a client's file. */
export interface Change {
  readonly file: string;
  /** The current text of the file; undefined if the file does not exist. */
  readonly before: string | undefined;
  /** The new text; undefined if the file is removed. */
  readonly after: string | undefined;
  /** Makes the same change of a later text of the file. Throws `USAGE_INVALID` if the text has other servers. */
  readonly edit: (text: string) => Promise<string>;
  /** The new entry of toolmount; undefined if the entry is removed. */
  readonly entry: Readonly<Record<string, unknown>> | undefined;
  /** Names of servers that leave the file or, when the entry is removed, return to it. */
  readonly servers: readonly string[];
  /** Names of servers that had left the file, but are in it again because someone wrote them since. They stay as they are. */
  readonly rewritten: readonly string[];
  /** Environment variables that the user must set, each with the reason. */
  readonly set: readonly { readonly name: string; readonly because: string }[];
  /** Servers that stay in files of clients, and through which these clients bypass the plan. */
  readonly direct: readonly DirectServer[];
  /** Stores the servers that leave the file or, for a removal, deletes the stored ones. */
  readonly keep: () => Promise<void>;
}

/**
 * Makes a planned change. Servers that leave the file are stored first. Stored servers are deleted only after the file has them
 * again.
 */
export async function makeChange(change: Change): Promise<void> {
  const isRemoval = change.entry === undefined;
  if (!isRemoval) await change.keep();
  await write(change);
  if (isRemoval) await change.keep();
}

/** Writes the file. What its application wrote into it since it was read, such as its own state, stays. */
async function write({ file, before, after, edit }: Change): Promise<void> {
  if (after === undefined && (await readClientFile(file)) === before) return rm(file, { force: true });
  await rewriteText(file, (now) =>
    after !== undefined && now === (before ?? null) ? after : edit(now ?? ""),
  );
}

/** Throws if the list of servers in `text` is not `list`. */
async function requireSameServers(text: string, file: string, key: string, list: unknown): Promise<void> {
  if (isDeepStrictEqual(memberAt(await parseClientFile(text, file), [key]), list)) return;
  throw usageError(`${file} was changed meanwhile, and lists other servers; run the command again`);
}

/** Plans the entry that starts a plan, for a client's file. It replaces those servers there that the plan also mounts. */
export async function planEntry(
  client: McpClient,
  plan: string | undefined,
  name: string,
  shell: Shell,
): Promise<Change> {
  const { findPlan, readMcpServers } = await import("@toolmount/loader/commands");
  const path = resolve(shell.cwd, await findPlan(plan, shell.cwd));
  const { servers } = await readMcpServers(path, loaderOptions({}, shell));
  const file = client.file(shell);
  const before = await readClientFile(file);
  const list = memberAt(await parseClientFile(before ?? "", file), [client.key]);
  const names = namesInPlan(list, servers).filter((one) => one !== name);
  const variables = variablesOf(await readFile(path, "utf8"));
  const entry = describeEntry(client, { path, variables }, file);
  const edit = async (text: string) => {
    await requireSameServers(text, file, client.key, list);
    let edited = text;
    for (const one of names) edited = await editClientText(edited, [client.key, one], undefined, file);
    return editClientText(edited, [client.key, name], entry, file);
  };
  const after = await edit(before ?? "");
  const kept = Object.fromEntries(names.map((one) => [one, memberAt(list, [one])]));
  const direct = await findDirectServers(servers, shell, [client]);
  return {
    file,
    before,
    after,
    edit,
    entry,
    servers: names,
    rewritten: [],
    set: await variablesToSet(client, variables, kept),
    direct: direct.filter((one) => one.file !== file || !names.includes(one.name)),
    keep: async () => {
      const stored = copyFile(file, name, shell);
      const isFirst = memberAt(list, [name]) === undefined;
      // Servers may be stored already, from an earlier change that was not undone.
      const old = isFirst ? undefined : await readCopy(stored);
      const whole = wholeOf(old, { before, after, isFirst });
      await writeCopy(stored, { file, whole, servers: { ...old?.servers, ...kept } });
    },
  };
}

/** Plans the removal of toolmount's entry, and the return of the servers that the entry replaced. */
export async function planRemoval(given: McpClient, name: string, shell: Shell): Promise<Change> {
  const client = await clientWithEntry(given, name, shell);
  const file = client.file(shell);
  const before = await readClientFile(file);
  const path = copyFile(file, name, shell);
  const moved = await readCopy(path);
  const list = memberAt(await parseClientFile(before ?? "", file), [client.key]);
  const isThere = (server: string) => memberAt(list, [server]) !== undefined;
  const rewritten = Object.keys(moved?.servers ?? {}).filter(isThere);
  const servers = Object.keys(moved?.servers ?? {}).filter((server) => !isThere(server));
  const edit = async (text: string) => {
    await requireSameServers(text, file, client.key, list);
    return withServersBack(text, [client.key, name], { moved, servers }, file);
  };
  const after = before === undefined ? undefined : await restore(before, moved, edit);
  const keep = () => removeCopy(path);
  return { file, before, after, edit, entry: undefined, servers, rewritten, set: [], direct: [], keep };
}

/**
 * Finds which of the client's writable lists contains the entry, and returns the client with that file. If none does, returns
 * the client as it was given, with its main file.
 */
async function clientWithEntry(client: McpClient, name: string, shell: Shell): Promise<McpClient> {
  for (const one of writableLists(client, shell)) {
    const text = await readClientFile(one.file(shell));
    const isHere =
      text !== undefined &&
      memberAt(await parseClientFile(text, one.file(shell)), [one.key, name]) !== undefined;
    if (isHere) return one;
  }
  return client;
}

/**
 * Returns the text that the file had before the entry was added, if the file was not changed since; undefined if there was no
 * file. Otherwise removes the entry and adds the missing servers.
 */
async function restore(
  text: string,
  moved: MovedServers | undefined,
  edit: Change["edit"],
): Promise<string | undefined> {
  if (moved?.whole?.after === digestText(text)) return moved.whole.before ?? undefined;
  return edit(text);
}

async function withServersBack(
  text: string,
  [key = "", name = ""]: readonly string[],
  { moved, servers }: { readonly moved: MovedServers | undefined; readonly servers: readonly string[] },
  file: string,
): Promise<string> {
  let after = await editClientText(text, [key, name], undefined, file);
  for (const server of servers)
    after = await editClientText(after, [key, server], moved?.servers[server], file);
  return after;
}

/**
 * Returns the text before the first change and a digest of the text after this one, for restoring the whole file. Null if the
 * file was changed in between.
 */
function wholeOf(
  old: MovedServers | undefined,
  { before, after, isFirst }: { before: string | undefined; after: string; isFirst: boolean },
): MovedServers["whole"] {
  if (isFirst) return { before: before ?? null, after: digestText(after) };
  const isUnchanged = old?.whole?.after === digestText(before ?? "");
  return isUnchanged ? { before: old?.whole?.before ?? null, after: digestText(after) } : null;
}

/**
 * Returns the entry with which the client starts `toolmount serve`. A file that a team shares gets the command's name and a path
 * in the project. Any other file gets the absolute paths of the program that runs now, which work from every folder.
 */
function describeEntry(
  client: McpClient,
  { path, variables }: { readonly path: string; readonly variables: readonly string[] },
  file: string,
): Readonly<Record<string, unknown>> {
  const { inProject: inFolder } = client;
  const passed = variables.length === 0 ? undefined : client.passOn?.(variables);
  const project = projectOf(client, file);
  const isShared = inFolder !== null && isBelow(path, project);
  const start = isShared
    ? { command: "npx", args: ["toolmount", "serve", inFolder(relative(project, path).split(sep).join("/"))] }
    : {
        command: process.execPath,
        args: [...process.execArgv, process.argv[1] ?? "toolmount", "serve", path],
      };
  return { ...client.start(start.command, [...start.args, "--stdio"]), ...passed };
}

/**
 * Returns the folder of the project to which a client's file belongs: that of the file itself or, for most clients, the one above
 * it.
 */
function projectOf({ name }: McpClient, file: string): string {
  return name === "claude-code" || name === "opencode" ? dirname(file) : dirname(dirname(file));
}

/** Returns the variables without a default to which the text of a plan refers. */
function variablesOf(text: string): string[] {
  const found = [...text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => name);
  return [...new Set(found)];
}

/**
 * Returns the variables that the user must set: all of `variables` if the client's file cannot refer to variables; otherwise
 * those that replace secrets of the servers that leave the file.
 */
async function variablesToSet(
  client: McpClient,
  variables: readonly string[],
  servers: Readonly<Record<string, unknown>>,
): Promise<Change["set"]> {
  if (client.passOn === null)
    return variables.map((name) => ({
      name,
      because: 'under "env" of the entry: this client does not read variables',
    }));
  const { variables: secrets } = await readServerList(JSON.stringify({ mcpServers: servers }));
  return secrets
    .filter(({ name }) => variables.includes(name))
    .map(({ name }) => ({
      name,
      because: `in the environment of ${client.name}: its value leaves the file`,
    }));
}
