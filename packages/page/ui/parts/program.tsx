import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ask } from "../api.ts";
import { StatusChip } from "../calls/status.tsx";
import { countHidden } from "../hidden.ts";
import { linkTo, route } from "../route.ts";
import type { CallSummary, Program, ProgramLine } from "../shapes.ts";
import { approvals, calls, hostPath, tools } from "../state.ts";
import { countText, durationText, HiddenNote } from "../value.tsx";

/** Milliseconds after a change before a program is loaded again. */
const paceMs = 300;

interface ProgramProps {
  /** The call that runs the program. */
  readonly runId: string;
  /** The run id of the program's call that a question is about. */
  readonly asked?: string;
}

/**
 * Shows the program that a call ran. The program's calls are below the lines that made them, and the line that waits is marked.
 * Shows nothing for a call that ran no program.
 */
export function ProgramOf({ runId, asked }: ProgramProps) {
  const program = useSignal<Program | null>(null);
  const change = useComputed(() => changeOf(runId));
  useSignalEffect(() => {
    void change.value;
    const path = `${hostPath.value}/calls/${encodeURIComponent(runId)}/program`;
    const timer = setTimeout(
      () =>
        void ask<Program>("GET", path).then(
          (found) => (program.value = found),
          // Most calls ran no program, so errors are not shown.
          () => {},
        ),
      program.peek() === null ? 0 : paceMs,
    );
    return () => clearTimeout(timer);
  });
  const box = useRef<HTMLDivElement>(null);
  const isRead = program.value !== null;
  // On a phone, a question is drawn before it is opened, and has no height until then. So `open` scrolls it again.
  const { open } = route.value;
  useLayoutEffect(() => {
    const line = box.current?.querySelector<HTMLElement>("[aria-current]");
    if (box.current !== null && line) box.current.scrollTop = line.offsetTop - box.current.clientHeight / 2;
  }, [isRead, open]);
  if (program.value === null || !isShown(program.value, runId)) return null;
  const { lines, isCut, hasMore, omitsReads } = program.value;
  const made = lines.flatMap((line) => line.calls);
  return (
    <section class="box" aria-label="Program">
      <h3>
        <span>
          Program · {countText(made.length, "call")}
          {hasMore && ", and earlier ones"}
        </span>
        {asked !== undefined && <a href={linkTo("calls", runId)}>Whole call</a>}
      </h3>
      <HiddenNote hidden={lines.reduce((sum, { code }) => sum + countHidden(code), 0)} />
      <div class="program" ref={box} tabIndex={0} role="group" aria-label="Source with its calls">
        <ol>
          {lines.map((line) => (
            <Line key={line.line} line={line} asked={asked} />
          ))}
        </ol>
      </div>
      {isCut && <p class="note">Only the beginning of the source is kept.</p>}
      {omitsReads && <p class="note">The audit leaves out calls of tools that only read.</p>}
    </section>
  );
}

/** Returns the number of the latest change of the program or one of its calls. */
function changeOf(runId: string): number {
  const own = calls.value.filter((call) => call.runId === runId || call.parentRunId === runId);
  return Math.max(0, ...own.map(({ change }) => change));
}

/**
 * Tests whether the call really ran a program: it made calls, or its tool has the tag `programs`. An argument `source` alone is
 * not enough.
 */
function isShown({ lines }: Program, runId: string): boolean {
  const name = calls.value.find((call) => call.runId === runId)?.tool;
  const tool = tools.value.find((one) => one.name === name);
  return lines.some((line) => line.calls.length > 0) || tool?.tags.includes("programs") === true;
}

interface LineProps {
  readonly line: ProgramLine;
  readonly asked: string | undefined;
}

function Line({ line: { line, code, isNow, calls: made }, asked }: LineProps) {
  return (
    <li aria-current={isNow ? "step" : undefined}>
      <span class="number">{line ?? "?"}</span>
      <code>
        {line === null ? "(line not known)" : code}
        {isNow && <span class="quiet"> (it waits here)</span>}
      </code>
      {made.length > 0 && (
        <ul>
          {groupsOf(made).map((group) =>
            group.length > maxAlike ? (
              <li key={group[0]!.runId}>
                <details>
                  <summary>
                    {countText(group.length, "call")} of {group[0]!.tool}{" "}
                    <StatusChip status={group[0]!.status} code={group[0]!.code} />
                  </summary>
                  <ul>
                    {group.map((call) => (
                      <Made key={call.runId} call={call} asked={asked} />
                    ))}
                  </ul>
                </details>
              </li>
            ) : (
              group.map((call) => <Made key={call.runId} call={call} asked={asked} />)
            ),
          )}
        </ul>
      )}
    </li>
  );
}

/** Larger groups of similar calls of one line are collapsed. */
const maxAlike = 3;

/** Groups the calls of a line by tool and status, in the order in which they began. */
function groupsOf(made: readonly CallSummary[]): readonly (readonly CallSummary[])[] {
  const groups = new Map<string, CallSummary[]>();
  for (const call of made) {
    const key = `${call.tool}\n${call.status}\n${call.code ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  return [...groups.values()];
}

function Made({ call, asked }: { readonly call: CallSummary; readonly asked: string | undefined }) {
  const question = approvals.value?.find(({ info }) => info.runId === call.runId);
  return (
    <li>
      <a href={linkTo("calls", call.runId)}>{call.tool}</a> <span class="line">{call.line}</span>{" "}
      <StatusChip status={call.status} code={call.code} />
      {call.durationMs !== null && <span class="facts"> {durationText(call.durationMs)}</span>}
      {call.runId === asked && <span class="facts"> this question</span>}
      {call.runId !== asked && question !== undefined && (
        <>
          {" "}
          <a href={linkTo("inbox", question.id)}>Answer</a>
        </>
      )}
    </li>
  );
}
