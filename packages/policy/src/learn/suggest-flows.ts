import type { ToolInfo } from "@toolmount/core";
import { fitsTool } from "../match/match.ts";
import { flows as schema, type FlowsConfig } from "../flows/schema.ts";
import { candidatesFor, valuesOf, type Place, leastApprovals, type Candidate } from "./candidates.ts";
import { fieldKey, fieldsOf, recordsOf, type Trusted } from "./seen-fields.ts";
import { linesOf, withLines, type Elected, type Ground } from "./flow-lines.ts";
import { RecordedFlows, type RecordedSession } from "./recorded.ts";

/** A suggested line for the flows of a policy, with the approvals that support it. */
export interface SuggestedFlow {
  readonly section: "results" | "into";
  /** The line as the plan would have it. */
  readonly line: Readonly<Record<string, unknown>>;
  /** Ids of the approved calls that need the line; empty for a line that keeps other tools as they are. */
  readonly calls: readonly string[];
}

/** What the approvals of people say about where values may come from. */
export interface FlowSuggestion {
  readonly lines: readonly SuggestedFlow[];
  /** Number of approved calls about which flows ask without the lines; `after` is the number with the lines. */
  readonly before: number;
  readonly after: number;
  /** Number of calls that ran without a question, and about which flows would ask with the lines. */
  readonly fresh: number;
  /** For each call that a person answered, by its id: whether flows with these lines would ask about the call or deny it. */
  readonly asks: ReadonlyMap<string, boolean>;
}

/**
 * Finds the narrowest lines of `flows` with which flows would ask nothing about the calls that people approved, and still ask
 * about every call that they denied. The lines are for tools with control arguments that no line of `into` is about.
 *
 * An approved value is explained by a field of an earlier result that has it, if all values of the field look like ids,
 * times or addresses, or by a source that requires words of the user. Fields of the same name are treated alike. A tool accepts
 * a kind of field only if one of its calls needed it, and values of a service only if the user named the action.
 *
 * `written` is the plan's `policy.flows`; a plan without it is judged as with `flows: on`. Throws a `ZodError` if it is not
 * valid.
 */
export function suggestFlows(
  sessions: readonly RecordedSession[],
  tools: readonly ToolInfo[],
  written?: unknown,
): FlowSuggestion {
  const ground = survey(sessions, tools, schema.parse(written ?? "on"));
  let elected: readonly Elected[] = [...countApprovals(ground).values()].filter(
    ({ candidate, calls }) => calls.size >= leastApprovals(candidate),
  );
  elected = withoutNewQuestions(elected, ground);
  for (let wrong = findAccepted(elected, ground); wrong !== null; wrong = findAccepted(elected, ground))
    elected = withoutGuilty(elected, wrong, ground);
  return report(elected, ground, written !== undefined);
}

function survey(sessions: readonly RecordedSession[], tools: readonly ToolInfo[], base: FlowsConfig): Ground {
  const guarded = tools.filter(
    (tool) => (tool.control ?? []).length > 0 && !base.into.some(({ match }) => fitsTool(match, tool)),
  );
  const seen = { fields: fieldsOf(sessions, tools), records: recordsOf(sessions, base.identity) };
  const accepted = new Map<string, Set<Trusted>>();
  const now = new RecordedFlows(base, tools);
  for (const session of sessions)
    for (const [at, { origins }] of now.replay(session).answers.entries())
      for (const { origin, isAccepted } of origins) {
        if (!isAccepted || (origin !== "contact" && origin !== "structured")) continue;
        const { tool } = session.steps[at]!;
        accepted.set(tool, (accepted.get(tool) ?? new Set()).add(origin));
      }
  return { sessions, tools, base, now, tried: new Map(), seen, guarded, accepted };
}

/** Finds, for each approved call that is asked about, the fewest candidates that explain it. The call counts as a vote for each. */
function countApprovals(ground: Ground): ReadonlyMap<string, Elected> {
  const { sessions, now, seen, guarded } = ground;
  const ballot = new Map<string, Elected>();
  for (const session of sessions) {
    ground.tried.clear();
    let values: ReturnType<typeof valuesOf> | undefined;
    for (const [at, { asks, origins }] of now.replay(session).answers.entries()) {
      const step = session.steps[at]!;
      if (!asks || step.outcome !== "approved" || !guarded.some(({ name }) => name === step.tool)) continue;
      const place = { session, at };
      values ??= valuesOf(session, seen);
      for (const candidate of fewest(candidatesFor(origins, place, values, seen), place, ground)) {
        const known = ballot.get(candidate.key) ?? { candidate, calls: new Set(), tools: new Set() };
        ballot.set(candidate.key, known);
        known.calls.add(step.id);
        known.tools.add(step.tool);
      }
    }
  }
  return ballot;
}

function fewest(found: readonly Candidate[], place: Place, ground: Ground): readonly Candidate[] {
  const { tool } = place.session.steps[place.at]!;
  const elect = (candidate: Candidate): Elected => ({
    candidate,
    calls: new Set(),
    tools: new Set([tool]),
  });
  const passes = (some: readonly Candidate[]) => !isAsked(place, some.map(elect), ground, { intent: false });
  const alone = found.find((candidate) => passes([candidate]));
  if (alone !== undefined) return [alone];
  if (!passes(found)) return [];
  let needed = found;
  for (const candidate of found) {
    const others = needed.filter((one) => one !== candidate);
    if (passes(others)) needed = others;
  }
  return needed;
}

/**
 * Whether the flows with these candidates ask about a call; without `intent`, only whether they explain its values. The results
 * that the session has seen are those of the present flows, so that a result is read once for each configuration.
 */
function isAsked(
  { session, at }: Place,
  elected: readonly Elected[],
  ground: Ground,
  { intent }: { readonly intent: boolean },
): boolean {
  const { results, into } = linesOf(elected, ground);
  const lines = intent ? into : into.map(({ match, from }) => ({ match, from }));
  const key = JSON.stringify([results, lines]);
  const flows =
    ground.tried.get(key) ??
    new RecordedFlows(withLines(ground.base, { results, into: lines }), ground.tools);
  ground.tried.set(key, flows);
  return flows.judge(session.steps[at]!, ground.now.replay(session).results.slice(0, at)).asks;
}

/**
 * Removes tools from candidates that would cause new questions about approved calls. A tool that accepts values of a service
 * asks if the user did not name the action, even about values that the user wrote.
 */
function withoutNewQuestions(elected: readonly Elected[], ground: Ground): readonly Elected[] {
  if (elected.length === 0) return elected;
  const calls = compare(ground, withLines(ground.base, linesOf(elected, ground)));
  const asked = new Set(calls.flatMap((call) => (!call.asked && call.asks ? [call.tool] : [])));
  const left = elected.flatMap((one) => {
    const tools = "field" in one.candidate ? [...one.tools].filter((tool) => !asked.has(tool)) : one.tools;
    return [...tools].length === 0 ? [] : [{ ...one, tools: new Set(tools) }];
  });
  if (left.length < elected.length || left.some(({ tools }, at) => tools.size < elected[at]!.tools.size))
    return withoutNewQuestions(left, ground);
  // A value that a person approved counts as typed. If the first call no longer asks, a later call with it may.
  const more = calls.filter((call) => call.asks).length > calls.filter((call) => call.asked).length;
  return more ? withoutNewQuestions(weakestFirst(elected).slice(1), ground) : elected;
}

function weakestFirst(elected: readonly Elected[]): readonly Elected[] {
  return elected.toSorted((one, other) => one.calls.size - other.calls.size);
}

/** Finds a call that a person denied, about which the flows ask now, but would no longer ask with the candidates. */
function findAccepted(elected: readonly Elected[], ground: Ground): Place | null {
  const { sessions, tools, base, now } = ground;
  const then = new RecordedFlows(withLines(base, linesOf(elected, ground)), tools);
  for (const session of sessions) {
    if (!session.steps.some(({ outcome }) => outcome === "denied")) continue;
    const after = then.replay(session).answers;
    const at = now
      .replay(session)
      .answers.findIndex(
        ({ asks }, index) => asks && session.steps[index]!.outcome === "denied" && !after[index]!.asks,
      );
    if (at !== -1) return { session, at };
  }
  return null;
}

/** Drops a candidate without which a denied call is asked about again, if possible the one with the fewest approvals. */
function withoutGuilty(elected: readonly Elected[], wrong: Place, ground: Ground): Elected[] {
  const weakest = weakestFirst(elected);
  const without = (guilty: Elected) => elected.filter((one) => one !== guilty);
  const guilty = weakest.find((one) => isAsked(wrong, without(one), ground, { intent: true })) ?? weakest[0]!;
  return without(guilty);
}

function report(elected: readonly Elected[], ground: Ground, hasFlows: boolean): FlowSuggestion {
  const { results, into } = linesOf(elected, ground);
  const calls = compare(ground, withLines(ground.base, { results, into }));
  const answered = calls.filter(({ outcome }) => outcome !== "ran");
  const approved = calls.filter(({ outcome }) => outcome === "approved");
  const spared = approved.filter(({ asked, asks }) => asked && !asks);
  const votesFor = (line: FlowsConfig["results"][number]) =>
    elected.flatMap(({ candidate, calls: votes }) =>
      speaksFor(candidate, line, ground.seen) ? [...votes] : [],
    );
  const needFor = ({ match: { tool } }: (typeof into)[number]) =>
    spared.flatMap((call) => ([tool].flat().includes(call.tool) ? [call.id] : []));
  return {
    lines: [
      ...results.map((line) => ({
        section: "results" as const,
        line: { ...line },
        calls: unique(votesFor(line)),
      })),
      ...into.map((line) => ({ section: "into" as const, line, calls: needFor(line) })),
    ],
    before: approved.filter(({ asked }) => asked).length,
    after: approved.filter(({ asks }) => asks).length,
    fresh: calls.filter((call) => call.outcome === "ran" && call.asks && !(hasFlows && call.asked)).length,
    asks: new Map(answered.map(({ id, asks }) => [id, asks])),
  };
}

/** Returns each call of the sessions, and whether flows ask about it without the lines (`asked`) and with them (`asks`). */
function compare({ sessions, tools, now }: Ground, config: FlowsConfig) {
  const then = new RecordedFlows(config, tools);
  return sessions.flatMap((session) => {
    const [old, fresh] = [now.replay(session).answers, then.replay(session).answers];
    return session.steps.map(({ id, tool, outcome }, at) => ({
      id,
      tool,
      outcome,
      asked: old[at]!.asks,
      asks: fresh[at]!.asks,
    }));
  });
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

/** Whether a candidate is the reason for a suggested line of results. Fields of the same name are treated alike. */
function speaksFor(
  candidate: Candidate,
  line: FlowsConfig["results"][number],
  { fields }: Ground["seen"],
): boolean {
  const tools = [line.match.tool ?? []].flat();
  if ("record" in candidate) return "trust" in line && tools.includes(candidate.record);
  const globs = "fields" in line ? Object.entries(line.fields ?? {}) : [];
  const keys = tools.flatMap((tool) =>
    globs.map(([glob, trust]) => `${fields.get(fieldKey(tool, glob))?.name} ${trust}`),
  );
  return keys.includes(candidate.key);
}
