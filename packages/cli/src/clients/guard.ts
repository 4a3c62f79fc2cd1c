import { randomBytes } from "node:crypto";
import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { silentLogger } from "@toolmount/core";
import { isToolmountError, ToolmountError } from "@toolmount/core/errors";
import type { LockReport } from "@toolmount/loader/commands";
import { verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";
import { loaderOptions } from "../host/loader-options.ts";
import type { Shell } from "../process/shell.ts";
import { importFile } from "../scaffold/import-file.ts";
import { makeChange, planEntry, type Change } from "./change.ts";
import { memberAt, parseClientFile, readClientFile } from "./client-file.ts";
import { writableLists, type McpClient } from "./mcp-clients.ts";

/** A plan with the servers of a client in it, in files beside the plan's own; nothing else is written yet. */
export interface Draft {
  /** Where the plan will be. */
  readonly plan: string;
  /** The servers that the plan gets. */
  readonly added: readonly string[];
  readonly left: readonly { readonly name: string; readonly because: string }[];
  readonly set: readonly { readonly name: string; readonly because: string }[];
  readonly lock: LockReport;
  readonly tools: readonly {
    readonly name: string;
    readonly server: string;
    readonly calls: CallVerdict | undefined;
  }[];
  /** Writes plan, lock and the client's file, in this order. Where one cannot be written, the others are as they were. */
  keep(): Promise<Change>;
  /** Removes the draft. */
  drop(): Promise<void>;
}

/**
 * Puts the servers of a client's file into a draft of the plan, starts each, locks what answered, and says what becomes of
 * calls. Throws `USAGE_INVALID` for a client without servers, and what importing throws.
 */
export async function draftPlan(
  given: McpClient,
  plan: string | undefined,
  entry: string,
  shell: Shell,
): Promise<Draft> {
  const client = await listedClient(given, shell);
  const list = client.file(shell);
  const file = await planFile(plan, shell);
  const drafts = draftsOf(file);
  const drop = async () => {
    for (const [draft] of drafts) await rm(draft, { force: true });
  };
  try {
    for (const [draft, own] of drafts) await copyWhereThere(own, draft);
    const [[draft]] = drafts as [[string, string]];
    const imported = await importFile(list, draft, shell.cwd);
    if (
      imported.kind !== "servers" ||
      (imported.report.added.length === 0 && imported.report.kept.length === 0)
    )
      throw new ToolmountError("USAGE_INVALID", {
        problem: `${list} has no server that a plan could mount${reasonOf(imported)}`,
      });
    const lock = await lockDraft(draft, shell);
    const tools = await toolsOf(draft, shell);
    const keep = () => write(client, entry, { file, drafts }, shell);
    const { report, left, variables } = imported;
    return { plan: file, added: report.added, left, set: variables, lock, tools, keep, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/**
 * The client with the list that holds here: the project's, or where that has no server the user's own. Throws `USAGE_INVALID` for a
 * client without a list.
 */
async function listedClient(client: McpClient, shell: Shell): Promise<McpClient> {
  const lists = writableLists(client, shell);
  const texts = await Promise.all(lists.map((one) => readClientFile(one.file(shell))));
  for (const [at, one] of lists.entries()) if (await hasServer(one, texts[at])) return one;
  const there = lists.find((_, at) => texts[at] !== undefined);
  if (there !== undefined) return there;
  const files = lists.map((one) => one.file(shell)).join(" or ");
  throw new ToolmountError("USAGE_INVALID", {
    problem: `${client.name} has no list of servers at ${files}; toolmount alone shows the lists that are here`,
  });
}

/** Whether a list has a server. One that cannot be read may have: reading it says why. */
async function hasServer({ key }: McpClient, text: string | undefined): Promise<boolean> {
  if (text === undefined) return false;
  const parsed = await parseClientFile(text, "").catch(() => null);
  return parsed === null || Object.keys(memberAt(parsed, [key]) ?? {}).length > 0;
}

/** Why a list gave no server: those that stand behind a plan already are left out by name. */
function reasonOf(imported: Awaited<ReturnType<typeof importFile>>): string {
  if (imported.kind !== "servers") return "";
  return imported.left.map(({ name, because }) => `; ${name}: ${because}`).join("");
}

/** Tools that are new are locked; one that differs from the lock stays as it is there, and is denied until a person accepts it. */
async function lockDraft(draft: string, shell: Shell): Promise<LockReport> {
  const { lockPlan } = await import("@toolmount/loader/commands");
  return lockPlan(draft, { ...quietly(shell), accept: ({ change }) => change === "added" });
}

/** What a server that does not answer says last is in the report, so it is not logged, too. */
function quietly(shell: Shell) {
  return { ...loaderOptions({}, shell), logger: silentLogger };
}

async function toolsOf(draft: string, shell: Shell): Promise<Draft["tools"]> {
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(draft, quietly(shell));
  try {
    const tools = host.tools();
    const calls = await verdictsOfHost(host, tools, undefined);
    return tools.map(({ name, owner }) => ({ name, server: owner, calls: calls.get(name) }));
  } finally {
    await host.close();
  }
}

/** The plan that holds here, or the one that will. */
async function planFile(plan: string | undefined, { cwd }: Shell): Promise<string> {
  const { findPlan } = await import("@toolmount/loader/commands");
  try {
    return resolve(cwd, await findPlan(plan, cwd));
  } catch (error) {
    if (!isToolmountError(error) || error.code !== "PLAN_NOT_FOUND") throw error;
    return resolve(cwd, plan ?? "mount-plan.yaml");
  }
}

/** Each draft with the file that it becomes: the plan's and its lock's, in the plan's folder, so that its paths hold. */
function draftsOf(file: string): readonly (readonly [draft: string, own: string])[] {
  const ending = extname(file);
  const stem = join(dirname(file), basename(file, ending));
  const draft = `${stem}.draft-${randomBytes(4).toString("hex")}`;
  return [
    [`${draft}${ending}`, file],
    [`${draft}.lock.json`, `${stem}.lock.json`],
  ];
}

async function copyWhereThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** The client's file is written last: a process that is killed before leaves it as it was. */
async function write(
  client: McpClient,
  entry: string,
  { file, drafts }: { readonly file: string; readonly drafts: ReturnType<typeof draftsOf> },
  shell: Shell,
): Promise<Change> {
  const before = await Promise.all(drafts.map(([, own]) => readFile(own).catch(() => null)));
  const existing = await Promise.all(drafts.map(([draft]) => readFile(draft).catch(() => null)));
  try {
    for (const [at, [draft, own]] of drafts.entries()) if (existing[at] !== null) await rename(draft, own);
    const change = await planEntry(client, file, entry, shell);
    await makeChange(change);
    return change;
  } catch (error) {
    for (const [at, [, own]] of drafts.entries()) await putBack(own, before[at] ?? null);
    throw error;
  }
}

async function putBack(file: string, bytes: Buffer | null): Promise<void> {
  if (bytes === null) await rm(file, { force: true });
  else await writeFile(file, bytes);
}
