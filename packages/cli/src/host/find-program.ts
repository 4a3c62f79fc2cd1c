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

/** How many of the newest programs can be named by the beginning of their ids. */
const maxListed = 1_000;

/** Returns the newest programs of an audit: the calls of the tool that runs programs. */
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
 * Reads the program that `written` names: by the id of its run or of a question that it asks, or by the beginning of such an id.
 * Null means the newest program. Throws `USAGE_INVALID` if the audit has no such program.
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

/**
 * Returns the run id of the program that `written` names, directly or by a question of the program; if nothing fits, `written`
 * itself. For null, it searches the newest program. The result is empty if no program ran.
 */
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

/** Returns the names under which the plan mounts the tool `run_program`. */
function programTools(host: OpenedHost): readonly string[] {
  const mounted = host.tools({ includeDeprecated: true });
  const names = mounted.filter(({ declaredName }) => declaredName === "run_program").map(({ name }) => name);
  return names.length === 0 ? ["run_program"] : names;
}

/** Lists calls. An audit that cannot list them is read completely. */
async function listCalls(sink: AuditSink, filter: PastCallFilter) {
  return sink.calls === undefined ? pastCalls(await sink.read(), filter) : sink.calls(filter);
}
