import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApprovalRecord, StateStore } from "@toolmount/core";
import type { OneFile } from "../one-file.ts";

/** Every line that the children of one world wrote, by file. */
export type Notes = Record<"tickets" | "tries" | "decisions" | "effects" | "ends" | "outcomes", string[][]>;

/** Moments that a child reports the first time. A kill soon after each of them interrupts every step. */
export const moments = ["began", "asked", "decided", "ran", "ended"] as const;

/** Starts a child, and kills it some milliseconds after a moment. */
export async function killOne(
  { file, env }: OneFile,
  url: string,
  folder: string,
  { moment, ms }: { readonly moment: (typeof moments)[number]; readonly ms: number },
): Promise<void> {
  const child = fork(file, [url, folder, "work"], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv,
    env,
  });
  const said: Buffer[] = [];
  child.stderr!.on("data", (chunk: Buffer) => said.push(chunk));
  child.on("message", (reported) => {
    if (reported === moment) setTimeout(() => child.kill("SIGKILL"), ms);
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== null)
    throw new Error(`a child ended by itself with ${code}: ${Buffer.concat(said).toString("utf8")}`);
}

/** Starts a last child that resumes all remaining calls and ends by itself. */
export async function finish({ file, env }: OneFile, url: string, folder: string): Promise<void> {
  const child = fork(file, [url, folder, "finish"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv,
    env,
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`the last child ended with ${code}`);
}

const execArgv = ["--disable-warning=ExperimentalWarning"];

export async function readNotes(folder: string): Promise<Notes> {
  const read = async (file: string) => {
    const text = await readFile(join(folder, file), "utf8").catch(() => "");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" "));
  };
  const [tickets, tries, decisions, effects, ends, outcomes] = await Promise.all(
    ["tickets", "tries", "decisions", "effects", "ends", "outcomes"].map(read),
  );
  return { tickets, tries, decisions, effects, ends, outcomes } as Notes;
}

/**
 * What must hold whenever hosts were killed; each sentence is a promise that was broken. `mayForget`: a host could not store
 * how a call ended before it closed, so a later host can only say that it is not
 * known, and leaves an idempotent call to its session, which has the outcome and so does not run it again.
 */
export async function findBroken(
  notes: Notes,
  store: StateStore,
  { mayForget = false }: { readonly mayForget?: boolean } = {},
): Promise<string[]> {
  const broken: string[] = [];
  const records = await store.approvals.list({ limit: 1_000_000 });
  const byRun = new Map(records.map((record) => [record.info.runId, record]));
  for (const [runId = "", decision] of notes.decisions) {
    const kept = byRun.get(runId)?.decision?.decision;
    if (kept !== decision) broken.push(`${runId}: acknowledged ${decision}, kept ${kept}`);
  }
  for (const [, runId = ""] of notes.tickets)
    if (!byRun.has(runId)) broken.push(`${runId}: its ticket was given, its record is gone`);
  const effects = Map.groupBy(notes.effects, ([runId]) => runId!);
  for (const [runId, lines] of effects) broken.push(...brokenRun(runId, lines, byRun.get(runId)));
  const ends = Map.groupBy(notes.ends, ([runId]) => runId!);
  for (const [runId, lines] of ends)
    if (lines.length > (mayForget && lines[1]?.[1] === "unknown" ? 2 : 1))
      broken.push(`${runId}: ended ${lines.length} times`);
  for (const record of records)
    if (isLeft(record) && !(mayForget && record.state === "started" && record.idempotent))
      broken.push(`${record.info.runId}: left as ${record.state}`);
  const outcomes = Map.groupBy(
    notes.outcomes.filter(([, status]) => status !== "pending"),
    ([runId]) => runId!,
  );
  for (const [runId, lines] of outcomes)
    if (new Set(lines.map(([, status]) => status)).size > 1) broken.push(`${runId}: had several outcomes`);
  return broken;
}

function brokenRun(runId: string, lines: readonly string[][], record: ApprovalRecord | undefined): string[] {
  const broken: string[] = [];
  if (record?.decision?.decision !== "approve") broken.push(`${runId}: ran without an approval`);
  if (lines.length > 1 && lines[0]![1] === "once") broken.push(`${runId}: ran ${lines.length} times`);
  return broken;
}

/** What was decided is acted on, once there was a host that lived. */
function isLeft({ state }: ApprovalRecord): boolean {
  return state === "approved" || state === "claimed" || state === "started";
}
