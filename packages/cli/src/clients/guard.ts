import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { silentLogger } from "@toolmount/core";
import { isToolmountError, ToolmountError } from "@toolmount/core/errors";
import type { LockReport } from "@toolmount/loader/commands";
import { verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";
import { loaderOptions } from "../host/loader-options.ts";
import { rewriteText } from "@toolmount/paths";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { importFile } from "../scaffold/import-file.ts";
import { makeChange, planEntry, type Change } from "./change.ts";
import { memberAt, parseClientFile, readClientFile } from "./client-file.ts";
import { writableLists, type McpClient } from "./mcp-clients.ts";

/** A plan with the servers of a client, as draft files next to the plan. No other file is written yet. */
export interface Draft {
  /** The path that the plan will have. */
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
  /**
   * Writes the plan, the lock and the client's file, in this order. If one cannot be written, the others are restored. Returns
   * the change of the client's file.
   */
  keep(): Promise<Change>;
  drop(): Promise<void>;
}

/**
 * Adds the servers of a client's file to a draft of the plan, starts each, locks the tools of those that answer, and finds out
 * which of their calls would run, ask or be denied. Throws `USAGE_INVALID` for a client without servers, and errors of importing.
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
    const files = drafts.map(([, own]) => own);
    const before = await textsOf(files);
    for (const [at, [draft]] of drafts.entries()) {
      const text = before[at];
      if (typeof text === "string") await writeFile(draft, text);
    }
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
    const after = await textsOf(drafts.map(([one]) => one));
    const written = files.map((own, at) => ({ file: own, before: before[at]!, after: after[at]! }));
    const keep = () => write(client, entry, { file, written }, shell);
    const { report, left, variables } = imported;
    return { plan: file, added: report.added, left, set: variables, lock, tools, keep, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/**
 * Returns the client with the list that applies here: the project's or, if it has no server, the user's own. If no list has a
 * server, returns the first that exists. Throws `USAGE_INVALID` if no list exists.
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

/**
 * Tests whether a list has a server. A list that cannot be read counts as having some, because reading it later reports the
 * error.
 */
async function hasServer({ key }: McpClient, text: string | undefined): Promise<boolean> {
  if (text === undefined) return false;
  const parsed = await parseClientFile(text, "").catch(() => null);
  return parsed === null || Object.keys(memberAt(parsed, [key]) ?? {}).length > 0;
}

/**
 * Returns the servers that importing left out, each with the reason, as the end of an error message. Empty if the file has no
 * list of servers.
 */
function reasonOf(imported: Awaited<ReturnType<typeof importFile>>): string {
  if (imported.kind !== "servers") return "";
  return imported.left.map(({ name, because }) => `; ${name}: ${because}`).join("");
}

/** Locks new tools only. A tool that differs from the lock keeps its entry, and is denied until a person accepts the change. */
async function lockDraft(draft: string, shell: Shell): Promise<LockReport> {
  const { lockPlan } = await import("@toolmount/loader/commands");
  return lockPlan(draft, { ...quietly(shell), accept: ({ change }) => change === "added" });
}

/** Returns options without a log, because the report already has the last error of each server that does not answer. */
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

/** Returns the absolute path of the plan that applies here. If no plan applies, returns the path of the plan to create. */
async function planFile(plan: string | undefined, { cwd }: Shell): Promise<string> {
  const { findPlan } = await import("@toolmount/loader/commands");
  try {
    return resolve(cwd, await findPlan(plan, cwd));
  } catch (error) {
    if (!isToolmountError(error) || error.code !== "PLAN_NOT_FOUND") throw error;
    return resolve(cwd, plan ?? "mount-plan.yaml");
  }
}

/**
 * Returns pairs of a draft file and the file that it will replace: the plan and its lock. They are in the same folder, so that
 * relative paths in the plan stay valid.
 */
function draftsOf(file: string): readonly (readonly [draft: string, own: string])[] {
  const ending = extname(file);
  const stem = join(dirname(file), basename(file, ending));
  const draft = `${stem}.draft-${randomBytes(4).toString("hex")}`;
  return [
    [`${draft}${ending}`, file],
    [`${draft}.lock.json`, `${stem}.lock.json`],
  ];
}

/** Reads the texts of files; null for a file that does not exist. */
function textsOf(files: readonly string[]): Promise<(string | null)[]> {
  return Promise.all(
    files.map((file) =>
      readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      }),
    ),
  );
}

/** The plan and its lock: what they had when the draft was made of them, and their new texts. */
interface Written {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Replaces the plan and the lock, and then the client's file. If the process is killed in between, the client's file is
 * unchanged. Throws `USAGE_INVALID` if the plan or the lock was changed since the draft was made.
 */
async function write(
  client: McpClient,
  entry: string,
  { file, written }: { readonly file: string; readonly written: readonly Written[] },
  shell: Shell,
): Promise<Change> {
  const done: Written[] = [];
  try {
    for (const one of written)
      if (one.after !== null) {
        await replace(one.file, one.before, one.after);
        done.push(one);
      }
    const change = await planEntry(client, file, entry, shell);
    await makeChange(change);
    return change;
  } catch (error) {
    for (const one of done)
      if (one.before === null) await rm(one.file, { force: true });
      else await replace(one.file, one.after, one.before);
    throw error;
  }
}

async function replace(file: string, before: string | null, after: string): Promise<void> {
  await rewriteText(file, (now) => {
    if (now === before) return after;
    throw usageError(`${file} was changed meanwhile; run the command again`);
  });
}
