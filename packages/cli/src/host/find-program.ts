import {
  ToolmountError,
  type ApprovalView,
  type AuditSink,
  type PastCall,
  type PastCallFilter,
} from "@toolmount/core";
import { pastCalls, readProgram } from "@toolmount/core/record";
import type { OpenedHost } from "@toolmount/loader";
import { findByPrefix } from "../options/find-by-prefix.ts";
import type { ShownProgram } from "../render/program.ts";

/** Newest programs whose ids may be shortened to their beginning. */
const maxListed = 1_000;

/** Returns the newest programs of an audit. */
export async function listPrograms(
  host: OpenedHost,
  sink: AuditSink,
  limit: number,
): Promise<readonly PastCall[]> {
  const names = programTools(host);
  const pages = await Promise.all(names.map((tool) => listCalls(sink, { tool, limit })));
  return pages
    .flatMap(({ calls }) => calls)
    .toSorted((one, other) => other.startedAt - one.startedAt)
    .slice(0, limit);
}

/**
 * Reads the program that an id names: the id of its run or of a question that it asks, or the beginning of one. Null means the
 * newest. Throws `USAGE_INVALID` if the audit has no such program.
 */
export async function findProgram(
  host: OpenedHost,
  sink: AuditSink,
  written: string | null,
): Promise<ShownProgram> {
  const questions = await host.approvals.list();
  const runId = await findRun(host, sink, written, questions);
  const [run] = (await listCalls(sink, { runIds: [runId], limit: 1 })).calls;
  const entries = (await sink.read({ runId })).map(({ entry }) => entry);
  const given = entries.find((entry) => entry["arguments"] !== undefined)?.["arguments"];
  const list = (filter: PastCallFilter) => listCalls(sink, filter);
  const program = run === undefined ? null : await readProgram(list, run, given);
  if (run === undefined || program === null) throw noProgram(written);
  const error = entries.findLast(({ kind }) => kind === "end")?.["error"];
  return {
    run,
    error: typeof error === "string" ? error : null,
    program,
    questions: Object.fromEntries(questions.map(({ id, info }) => [info.runId, id])),
    omitsReads: sink.mode === "changes",
  };
}

/** Returns the run that an id names: that of a program, or of the program that asks a question. */
async function findRun(
  host: OpenedHost,
  sink: AuditSink,
  written: string | null,
  questions: readonly ApprovalView[],
): Promise<string> {
  const programs = await listPrograms(host, sink, maxListed);
  if (written === null) return programs[0]?.runId ?? "";
  const ids = questions.map(({ id }) => id);
  const asked = questions.find(({ id }) => id === findByPrefix(written, ids));
  if (asked !== undefined) return asked.info.parentRunId ?? asked.info.runId;
  return findByPrefix(
    written,
    programs.map(({ runId }) => runId),
  );
}

function noProgram(written: string | null): ToolmountError {
  const which = written === null ? "" : ` with the id ${written}; toolmount program list shows them`;
  return new ToolmountError("USAGE_INVALID", { problem: `the audit has no program${which}` });
}

/** Returns the names under which the plan's tools for programs are mounted. */
function programTools(host: OpenedHost): readonly string[] {
  const mounted = host.tools({ includeDeprecated: true });
  const names = mounted.filter(({ declaredName }) => declaredName === "run_program").map(({ name }) => name);
  return names.length === 0 ? ["run_program"] : names;
}

/** Lists calls, even for a sink that only collects records. */
async function listCalls(sink: AuditSink, filter: PastCallFilter) {
  return sink.calls === undefined ? pastCalls(await sink.read(), filter) : sink.calls(filter);
}
