import type { Json, JsonObject, KeptResult, PendingCall, PolicyAnswer, ToolInfo } from "@toolmount/core";
import { config, createFlows } from "../src/index.ts";
import type { Steps } from "../src/flows/meter.ts";

/** A tool whose argument `to` decides, and whose argument `body` is carried there. */
export const send = {
  name: "send",
  declaredName: "send",
  owner: "mail",
  tags: ["net"],
  category: "side_effect",
  control: ["to"],
  content: ["body"],
} as unknown as ToolInfo;

/** A result of a call that reads. */
export const look = (value: KeptResult["value"], fields: Partial<KeptResult> = {}): KeptResult => ({
  call: 1,
  tool: "look",
  owner: "o",
  arguments: {},
  value,
  isError: false,
  ...fields,
});

export interface Given {
  readonly flows?: unknown;
  readonly tool?: ToolInfo;
  readonly results?: readonly KeptResult[];
  readonly prompts?: readonly string[] | null;
  readonly isPartial?: boolean;
}

/** The result of work in steps, without its pauses. */
export function done<Value>(steps: Steps<Value>): Value {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** What the flows say of a call. */
export function judge(given: JsonObject, how: Given = {}): PolicyAnswer {
  const { flows = "on", tool = send, results = [], prompts = ["Write to Ada."], isPartial = false } = how;
  const prepared = createFlows(config.parse({ flows }).flows!).prepare(tool)!;
  const call = {
    arguments: given,
    history: { results, isPartial },
    ...(prompts !== null && { prompts }),
  } as unknown as PendingCall;
  return prepared(call) as PolicyAnswer;
}

export const reasonOf = (answer: PolicyAnswer) =>
  answer !== null && "reason" in answer ? answer.reason : undefined;

/** Flows with one line, about every tool. */
export const line = (fields: object) => ({ into: [{ match: {}, ...fields }] });

export type Result = Partial<KeptResult> & { readonly value: Json };

export interface Case extends Omit<Given, "results"> {
  readonly results?: readonly (Json | Result)[];
}

const isResult = (one: Json | Result): one is Result =>
  typeof one === "object" && one !== null && !Array.isArray(one) && "value" in one;

/** The first value of the argument `to`: its origin, the place that shows it, and whether the flows accept it. */
export function originOf(to: Json, { results = [], ...given }: Case): string {
  const kept = results.map((one, at) =>
    isResult(one) ? look(one.value, { call: at + 1, ...one }) : look(one, { call: at + 1 }),
  );
  const { origin, from, isAccepted } = judge({ to }, { ...given, results: kept })!.origins![0]!;
  const place =
    from === undefined ? "" : ` ${from.call}${from.path}${from.line === undefined ? "" : `:${from.line}`}`;
  return `${isAccepted ? "+" : "-"}${origin}${place}`;
}

/** Flows in which a tool's results have a field of other people's mail addresses. */
export const mails = (trust: string, from?: readonly unknown[]) => ({
  results: [{ match: { tool: "look" }, fields: { "*.mail": trust } }],
  ...(from && { into: [{ match: {}, from }] }),
});
