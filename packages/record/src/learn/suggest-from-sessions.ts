import type { AuditSink } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { OpenedHost } from "@toolmount/loader";
import { suggestFlows, type SuggestedFlow } from "@toolmount/policy";
import type { Reasoner } from "@toolmount/reasoner";
import type { Judge } from "./judge-host.ts";
import { callsOfSessions, readSessions } from "./recorded-sessions.ts";
import { suggestRules, type Suggestion } from "./suggest-rules.ts";

/** What recorded sessions say about the flows of a plan. */
export interface SuggestedFlows {
  readonly lines: readonly SuggestedFlow[];
  /** Number of approved calls about which flows ask without the lines; `after` is the number with the lines. */
  readonly before: number;
  readonly after: number;
  /** Number of calls that ran without a question, and about which flows would ask. */
  readonly fresh: number;
}

/** Lines of the sections `results` and `into` of flows. */
export interface FlowLines {
  readonly results: readonly object[];
  readonly into: readonly object[];
}

/** Suggested lines of the policy's lists and of `flows`; `flows` is null if flows make no difference. */
export type SessionSuggestion = Suggestion & { readonly flows: SuggestedFlows | null };

/**
 * Finds lines as {@link suggestRules} does, and lines of `flows`, from the sessions of a plan's store. Sessions contain what the
 * user wrote and what tools returned, so it is known where a value came from.
 */
export async function suggestFromSessions(
  host: OpenedHost,
  reasoner: Reasoner,
  judge: Judge,
): Promise<SessionSuggestion> {
  const audit = host.coordinator.get("audit-sink") as AuditSink | null;
  const sessions = await readSessions(reasoner, audit);
  const { policy } = host.plan.written;
  const written = isRecord(policy) ? policy["flows"] : undefined;
  const { asks, ...flows } = suggestFlows(sessions, host.tools({ includeDeprecated: true }), written);
  const found = await suggestRules(callsOfSessions(sessions, asks), judge);
  if (written !== undefined) return { ...found, flows: flows.lines.length > 0 ? flows : null };
  if (found.lines.some(({ needsFlows }) => needsFlows)) return { ...found, flows };
  return { ...(await suggestRules(callsOfSessions(sessions, null), judge)), flows: null };
}

/** Returns the suggested lines of flows in the form that an edit of the plan needs; undefined if there are no flows. */
export function flowLinesOf({ flows }: SessionSuggestion): FlowLines | undefined {
  if (flows === null) return undefined;
  const of = (section: SuggestedFlow["section"]) =>
    flows.lines.filter((one) => one.section === section).map(({ line }) => line);
  return { results: of("results"), into: of("into") };
}
