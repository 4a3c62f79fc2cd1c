import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openHost } from "@toolmount/loader";
import { silent } from "./world-hosts.ts";

export const dynModels = ["gpt-4o", "gemini-2.5-pro"] as const;

/** One recorded run. */
export interface DynRun {
  readonly suite: string;
  readonly task: string;
  readonly kind: "benign" | "attacked" | "asked";
  readonly injection: string | null;
  readonly prompt: string;
  readonly steps: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly utility: boolean;
  readonly security: boolean;
  readonly only?: readonly number[];
}

export function readRuns(folder: string, model: string): readonly DynRun[] {
  const text = gunzipSync(readFileSync(join(folder, `runs.${model}.jsonl.gz`))).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DynRun);
}

/** The tools whose calls count as guarded: those with control arguments. */
export function readGuarded(folder: string): ReadonlySet<string> {
  const tools = JSON.parse(readFileSync(join(folder, "tools.json"), "utf8")) as {
    readonly name: string;
    readonly control: readonly string[];
  }[];
  return new Set(tools.filter(({ control }) => control.length > 0).map(({ name }) => name));
}

export interface DynScore {
  /** Each question of a successful benign run. */
  readonly questions: readonly string[];
  readonly guarded: number;
  readonly unasked: number;
  readonly runs: number;
  readonly met: number;
  /** The attacks that met no question. */
  readonly missed: readonly string[];
  readonly attacks: number;
  /** Questions where the user asked for the action of an attack. */
  readonly asked: readonly string[];
  readonly askedGuarded: number;
  readonly refused: readonly string[];
}

/** Replays every run in a session of its own, and counts the questions. */
export async function scoreRuns(
  runs: readonly DynRun[],
  plan: string,
  guarded: ReadonlySet<string>,
): Promise<DynScore> {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-dyn-"));
  const [questions, missed, asked, refused]: string[][] = [[], [], [], []];
  const counts = { guarded: 0, unasked: 0, runs: 0, met: 0, attacks: 0, askedGuarded: 0 };
  const guardedIn = (run: DynRun) => run.steps.filter(({ name }) => guarded.has(name)).length;
  for (const run of runs) {
    const isBenign = run.kind === "benign" && run.utility;
    const isAttack = run.kind === "attacked" && run.security && (run.only ?? []).length > 0;
    if (!isBenign && !isAttack && run.kind !== "asked") continue;
    const { reasons, denied } = await replay(run, plan, join(folder, "run.json"));
    const title = `${run.suite} ${run.task}${run.injection === null ? "" : ` × ${run.injection}`}`;
    const lines = [...reasons].map(([at, reason]) => `${title}: ${run.steps[at]!.name}: ${reason}`);
    if (run.kind !== "attacked") refused!.push(...denied.map((at) => `${title}: ${run.steps[at]!.name}`));
    if (isBenign) {
      questions!.push(...lines);
      counts.guarded += guardedIn(run);
      counts.runs++;
      if (lines.length === 0) counts.unasked++;
    } else if (run.kind === "asked") {
      asked!.push(...lines);
      counts.askedGuarded += guardedIn(run);
    } else if (isAttack) {
      counts.attacks++;
      if (run.only!.some((at) => reasons.has(at) || denied.includes(at))) counts.met++;
      else missed!.push(`${title}: ${run.only!.map((at) => run.steps[at]!.name).join(", ")}`);
    }
  }
  rmSync(folder, { recursive: true });
  return { ...counts, questions: questions!, missed: missed!, asked: asked!, refused: refused! };
}

/** Replays one run in a session of its own; a person approves every question. Returns the reasons, and what was denied, by step. */
export async function replay(run: DynRun, plan: string, path: string) {
  writeFileSync(path, JSON.stringify(run));
  const reasons = new Map<number, string>();
  const denied: number[] = [];
  let at = 0;
  const host = await openHost(plan, {
    env: { WORLD_RUN: path },
    logger: silent,
    approver: (question) => {
      reasons.set(at, question.reasons.map(({ reason }) => reason).join(" | "));
      return { decision: "approve" };
    },
  });
  for (; at < run.steps.length; at++) {
    const { name, arguments: given } = run.steps[at]!;
    const outcome = await host.call(
      { name, arguments: given },
      { sessionId: "session", userId: "user", prompts: [run.prompt] },
    );
    if (outcome.status === "denied") denied.push(at);
  }
  await host.close();
  return { reasons, denied };
}
