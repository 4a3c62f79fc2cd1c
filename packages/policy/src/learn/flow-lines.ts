import type { ToolInfo } from "@toolmount/core";
import { trustsOf, type FlowLine, type FlowsConfig, type Source, type Trust } from "../flows/schema.ts";
import { keyOf, type Candidate, type Seen } from "./candidates.ts";
import type { SeenField, Trusted } from "./seen-fields.ts";
import type { RecordedFlows, RecordedSession } from "./recorded.ts";

/** What the search for lines works with. */
export interface Ground {
  readonly sessions: readonly RecordedSession[];
  readonly tools: readonly ToolInfo[];
  readonly base: FlowsConfig;
  /** The sessions judged by the present flows of the plan. */
  readonly now: RecordedFlows;
  /** Flows that were tried out on one session, by their lines. */
  readonly tried: Map<string, RecordedFlows>;
  readonly seen: Seen;
  /** The tools for which lines are suggested. */
  readonly guarded: readonly ToolInfo[];
  /** The trusts that the tools' own declarations accept in these sessions. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<Trusted>>;
}

/** A candidate, with the approved calls that need it and their tools. */
export interface Elected {
  readonly candidate: Candidate;
  readonly calls: Set<string>;
  readonly tools: Set<string>;
}

/** Returns the lines of the elected candidates. Tools that no candidate is about keep what they accept. */
export function linesOf(elected: readonly Elected[], ground: Ground) {
  if (elected.length === 0) return { results: [], into: [] };
  const keys = new Set(elected.map(({ candidate }) => candidate.key));
  const trusted = [...ground.seen.fields.values()].flatMap((field) =>
    field.trust !== null && keys.has(keyOf(field.name, field.trust)) ? [{ field, trust: field.trust }] : [],
  );
  const sources = elected.flatMap(({ candidate }) => ("source" in candidate ? [candidate.source] : []));
  const forms = ground.guarded.map((tool) => ({ tool: tool.name, ...formFor(tool, elected, ground) }));
  const alike = [...Map.groupBy(forms, ({ trusts, intent }) => JSON.stringify([trusts, intent])).values()];
  const into = alike
    .toSorted(([one], [other]) => other!.trusts.length - one!.trusts.length)
    .map((own) => ({
      match: { tool: oneOrMore(own.map(({ tool }) => tool)) },
      from: [...plainSources(ground.base), ...own[0]!.trusts, ...sources],
      ...(own[0]!.intent && { intent: "user" as const }),
    }));
  const records = elected.flatMap(({ candidate }) => ("record" in candidate ? [candidate.record] : []));
  const own = { match: { tool: oneOrMore(records) }, trust: "identity" as const };
  return { results: [...(records.length > 0 ? [own] : []), ...resultLines(trusted)], into };
}

/** Returns the trusts of fields that a tool accepts, and whether the user must name the action: if `structured` is new. */
function formFor({ name }: ToolInfo, elected: readonly Elected[], { base, accepted }: Ground) {
  const said = bothTrusts.filter((trust) => says(base, trust));
  const before = new Set([...said, ...(accepted.get(name) ?? [])]);
  const fresh = elected.flatMap(({ candidate, tools }) =>
    "field" in candidate && tools.has(name) ? [candidate.trust] : [],
  );
  return {
    trusts: bothTrusts.filter((one) => before.has(one) || fresh.includes(one)),
    intent: fresh.includes("structured") && !before.has("structured"),
  };
}

const bothTrusts: readonly Trusted[] = ["contact", "structured"];

/** Returns the sources that are never text of other people. A source that nothing gives is a mistake, so it is left out. */
function plainSources(base: FlowsConfig): readonly Source[] {
  const isIdentity = base.identity.length > 0 || says(base, "identity");
  return [
    "user",
    ...(isIdentity ? (["identity"] as const) : []),
    ...(says(base, "trusted") ? (["trusted"] as const) : []),
  ];
}

/** Whether a line of the plan gives this trust to results. */
function says({ results }: FlowsConfig, trust: Trust): boolean {
  return results.some((line) => trustsOf(line).includes(trust));
}

export function withLines(base: FlowsConfig, { results, into }: ReturnType<typeof linesOf>): FlowsConfig {
  const lines = into.map((line): FlowLine => ({ ...line, else: "ask" }));
  return { ...base, results: [...base.results, ...results], into: [...base.into, ...lines] };
}

/** Returns lines of `results` for these fields. Tools with the same fields share a line. */
function resultLines(
  fields: readonly { readonly field: SeenField; readonly trust: Trust }[],
): FlowsConfig["results"] {
  const byTool = Map.groupBy(fields, ({ field }) => field.tool);
  const fieldsBy = [...byTool].map(([tool, own]) => ({
    tool,
    fields: Object.fromEntries(
      own
        .toSorted((one, other) => (one.field.glob < other.field.glob ? -1 : 1))
        .map(({ field, trust }) => [field.glob, trust] as const),
    ),
  }));
  return [...Map.groupBy(fieldsBy, ({ fields: own }) => JSON.stringify(own)).values()].map((alike) => {
    return { match: { tool: oneOrMore(alike.map(({ tool }) => tool)) }, fields: alike[0]!.fields };
  });
}

function oneOrMore(tools: readonly string[]): string | string[] {
  const [first = "", ...others] = tools.toSorted();
  return others.length === 0 ? first : [first, ...others];
}
