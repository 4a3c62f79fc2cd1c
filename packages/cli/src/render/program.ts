import type { PastCall } from "@toolmount/core";
import type { PastProgram, ProgramLine } from "@toolmount/core/record";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { agoOf } from "../screen/relative-time.ts";
import type { Screen } from "../screen/screen.ts";
import { shortIds } from "../screen/short-ids.ts";
import { writeTable, type Column } from "../screen/table.ts";

/** A call that ran a program, with the facts in the audit about the program. */
export interface ShownProgram {
  readonly run: PastCall;
  readonly error: string | null;
  readonly program: PastProgram;
  /** Ids of questions. The key is the run id of the waiting call. */
  readonly questions: Readonly<Record<string, string>>;
  /** Whether the audit leaves out the calls of tools that only read. */
  readonly omitsReads: boolean;
}

export function writePrograms(screen: Screen, programs: readonly PastCall[], now: number): void {
  if (programs.length === 0) return screen.line("the audit has no programs");
  const short = shortIds(programs.map(({ runId }) => runId));
  const columns: Column<PastCall>[] = [
    { title: "program", cell: ({ runId }) => screen.paint("bold", printable(short(runId))) },
    { title: "state", cell: (call) => stateOf(call) },
    { title: "began", cell: ({ startedAt }) => agoOf(startedAt, now) },
    { title: "session", cell: ({ sessionId }) => printable(sessionId ?? "–") },
    { title: "source", cell: ({ line }) => printable(line.replace(/^source: /, "")) },
  ];
  writeTable(screen, columns, programs);
}

/** Writes a program's source, with its calls below the lines that made them, and a mark at the line at which it waits. */
export function writeProgram(screen: Screen, shown: ShownProgram, now: number): void {
  const { run, error, program, omitsReads } = shown;
  const session = run.sessionId === null ? "" : ` · session ${printable(run.sessionId)}`;
  screen.line(
    `${screen.paint("bold", printable(run.tool))} ${stateOf(run)} · began ${agoOf(run.startedAt, now)}${session}`,
  );
  if (error !== null) screen.line(screen.paint("red", printable(error)));
  const width = String(Math.max(...program.lines.map(({ line }) => line ?? 0))).length;
  for (const line of program.lines) writeLine(screen, shown, line, width);
  const calls = program.lines.flatMap((line) => line.calls);
  const counts = [...Map.groupBy(calls, stateOf)].map(([state, { length }]) => `${length} ${state}`);
  const more = program.hasMore ? ", and earlier ones that are not shown" : "";
  screen.line(`${countOf(calls, "call")}${counts.length === 0 ? "" : `: ${counts.join(", ")}`}${more}`);
  if (program.isCut) screen.line(screen.paint("dim", "the audit has only the beginning of the source"));
  if (omitsReads)
    screen.line(screen.paint("dim", "calls of tools that only read are not in this audit (audit: changes)"));
}

function writeLine(
  screen: Screen,
  { questions }: ShownProgram,
  { line, code, isNow, calls }: ProgramLine,
  width: number,
): void {
  const mark = isNow ? screen.paint("yellow", "▶") : " ";
  const number = String(line ?? "?").padStart(width);
  const text = line === null ? "(line not known)" : printable(code.replaceAll("\t", "  ").trimEnd());
  screen.line(
    `${mark} ${screen.paint("dim", number)}  ${isNow ? screen.paint("bold", text) : text}`.trimEnd(),
  );
  const indent = " ".repeat(width + 6);
  for (const { call, count } of groups(calls)) {
    const question = questions[call.runId];
    const answer = question === undefined ? "" : `: toolmount approvals approve ${question.slice(0, 12)}`;
    const what = count === 1 ? `${call.tool} ${call.line}` : `${call.tool}: ${countOf(count, "call")}`;
    screen.line(
      `${indent}${signOf(call, screen)} ${printable(what.trim())}  ${screen.paint("dim", stateOf(call) + answer)}`,
    );
  }
}

/** Maximum number of calls of one tool with the same state that a line shows one by one. Of more, only the number is shown. */
const maxAlike = 3;

/** Groups the calls of a line: one by one, or as a number if many calls of a tool ended in the same way. */
function groups(calls: readonly PastCall[]): readonly { readonly call: PastCall; readonly count: number }[] {
  const alike = Map.groupBy(calls, (call) => `${call.tool}\n${stateOf(call)}`);
  return [...alike.values()].flatMap((group) =>
    group.length > maxAlike
      ? [{ call: group[0]!, count: group.length }]
      : group.map((call) => ({ call, count: 1 })),
  );
}

const states: Readonly<Record<string, string>> = {
  ok: "done",
  running: "runs",
  waiting: "waits",
  decided: "answered",
};

/** Returns the state of a call: `done`, the code of its error, or another word. */
function stateOf({ status, code }: PastCall): string {
  return printable(code ?? states[status] ?? status.replaceAll("_", " "));
}

function signOf({ status }: PastCall, screen: Screen): string {
  if (status === "ok") return screen.paint("green", "✔");
  return status in states ? screen.paint("yellow", "…") : screen.paint("red", "✖");
}
