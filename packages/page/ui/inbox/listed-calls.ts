import { signal } from "@preact/signals";
import type { Approval, QuestionPreview, Tool } from "../shapes.ts";
import { sentenceOf } from "./sentence.ts";

/** The name of the host's tool that makes all calls of a rehearsal after one answer. */
const listTool = "make_approved_calls";

/** One change that a call would make. */
export type Effect = QuestionPreview["effects"][number];

/** A call in a list that a person approves as a whole. */
export interface ListedCall {
  readonly tool: string;
  readonly arguments: Approval["arguments"];
  readonly effects: readonly Effect[];
  readonly canUndo: boolean | null;
  readonly asks: readonly string[];
  readonly origins: readonly Origin[];
}

/** Where the value of an argument came from. */
export interface Origin {
  readonly argument: string;
  readonly origin: string;
  readonly from?: { readonly tool: string; readonly call: number; readonly line?: number };
  readonly isAccepted: boolean;
}

interface ListArguments {
  readonly calls: readonly ListedCall[];
  /** The calls that are made after the approval: those of the list or, for a rehearsed program, only the call that runs it. */
  readonly run: readonly Pick<ListedCall, "tool" | "arguments">[];
  readonly harmless?: readonly Pick<ListedCall, "tool" | "asks">[];
  readonly first?: number;
}

/** Returns the list that a question is about; null if the question is about a single call. */
export function listOf({ tool, arguments: given }: Approval): ListArguments | null {
  return tool === listTool && Array.isArray(given["calls"]) ? (given as unknown as ListArguments) : null;
}

/** Returns the call whose run makes the listed calls, such as that of a program; null if the listed calls are made one by one. */
export function makerOf({ calls, run }: ListArguments): ListArguments["run"][number] | null {
  const isOfItself = run.length === calls.length && run.every(({ tool }, at) => tool === calls[at]!.tool);
  return isOfItself ? null : (run[0] ?? null);
}

/** By the id of a question: how many calls of its list the person wants to approve. */
const cuts = signal<ReadonlyMap<string, number>>(new Map());

/** Returns how many calls of a list an approval would cover now. */
export function coveredCalls({ id }: Approval, { calls, first = calls.length }: ListArguments): number {
  return Math.min(cuts.value.get(id) ?? first, first);
}

/** Shortens a list: an approval then covers only its first `first` calls. */
export function cutList({ id }: Approval, first: number): void {
  cuts.value = new Map([...cuts.value, [id, first]]);
}

/** Returns a listed call in the form of a question, because the components show questions. */
export function asQuestion(approval: Approval, call: Pick<ListedCall, "tool" | "arguments">): Approval {
  return { ...approval, tool: call.tool, arguments: call.arguments, reasons: [], prompt: "" };
}

/** Maximum number of characters of the first call in the sentence about a list. */
const maxNamed = 70;

/** Returns a sentence about a list: the number of calls, and the first of them. */
export function listSentence(
  { calls, first: count = calls.length }: ListArguments,
  tools: readonly Tool[],
): string {
  const [first] = calls;
  const begin = count === 1 ? "Make 1 call" : `Make ${count} calls, in this order`;
  if (first === undefined) return begin;
  const named = sentenceOf(
    first,
    tools.find(({ name }) => name === first.tool),
  );
  const isCut = count > 1 || named.length > maxNamed;
  return `${begin}: ${named.slice(0, maxNamed).trimEnd()}${isCut ? " …" : ""}`;
}

/** Returns a summary of calls of a list: how much they change, what it costs, and what cannot be undone. */
export function listSummary(calls: readonly ListedCall[]): readonly string[] {
  const effects = calls.flatMap((call) => call.effects);
  const kinds = [...new Set(effects.map(({ change }) => change))];
  const unknown = calls.filter((call) => call.effects.length === 0).length;
  const stuck = calls.filter(({ canUndo }) => canUndo !== true).length;
  return [
    ...kinds.map(
      (kind) => `${effects.filter(({ change }) => change === kind).length} to ${verbs[kind] ?? kind}`,
    ),
    ...costsOf(effects),
    ...(unknown > 0 ? [`of ${unknown} it is not known what would change`] : []),
    stuck === 0
      ? "all can be undone"
      : `${stuck} of ${calls.length} cannot be undone, or the tool has no undo`,
  ];
}

/** Verbs for kinds of changes whose names are no verbs. */
const verbs: Readonly<Record<string, string>> = { other: "affect" };

/** Returns the sum of the costs in each currency. */
function costsOf(effects: readonly Effect[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { cost } of effects)
    if (cost !== undefined) sums.set(cost.currency, (sums.get(cost.currency) ?? 0) + cost.amount);
  return [...sums].map(([currency, amount]) => `${amount.toLocaleString("en-US")} ${currency} in all`);
}
