import type { JsonObject, KeptResult, PolicyAnswer, ToolInfo, ValueOrigin } from "@toolmount/core";
import { confirmedValues, withoutContent } from "@toolmount/core/record";
import { createFlows } from "../flows/flow-policy.ts";
import type { FlowsConfig } from "../flows/schema.ts";

/** A call of a session that ended, with everything that a flow could know about it. */
export interface RecordedStep {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the user had written before the call. */
  readonly prompts: readonly string[];
  /** The result of the call, as the model read it. */
  readonly value: KeptResult["value"];
  readonly isError: boolean;
  /** What a person answered; `ran` means that no person was asked. A denied call has no result. */
  readonly outcome: "approved" | "denied" | "ran";
}

/** The calls of one session, in the order in which they ended. */
export interface RecordedSession {
  readonly id: string;
  readonly steps: readonly RecordedStep[];
}

/** What the flows of a plan answer about a call. */
interface FlowAnswer {
  /** Whether the flows ask about the call or deny it. */
  readonly asks: boolean;
  /** The origins of the values in the call's arguments. */
  readonly origins: readonly ValueOrigin[];
}

/** The answers of the flows to each call of a session, and the results that the session has seen. */
interface Replayed {
  readonly answers: readonly FlowAnswer[];
  /** The result of each call; undefined for a call that a person denied. */
  readonly results: readonly (KeptResult | undefined)[];
}

/** Judges recorded calls with the flows of one configuration. No tool runs. */
export class RecordedFlows {
  readonly #judges: ReadonlyMap<string, { readonly tool: ToolInfo; readonly judge: Judge }>;
  readonly #replayed = new Map<RecordedSession, Replayed>();

  constructor(config: FlowsConfig, tools: readonly ToolInfo[]) {
    const policy = createFlows(config);
    this.#judges = new Map(
      tools.map((tool) => [tool.name, { tool, judge: policy.prepare(tool) as Judge }] as const),
    );
  }

  /** Judges each call once, with the recorded answers of people to questions. */
  replay(session: RecordedSession): Replayed {
    const known = this.#replayed.get(session);
    if (known !== undefined) return known;
    const answers: FlowAnswer[] = [];
    const results: (KeptResult | undefined)[] = [];
    for (const step of session.steps) {
      const answer = this.judge(step, results);
      const seen = answer.asks && step.outcome === "approved" ? answer.origins : [];
      results.push(step.outcome === "denied" ? undefined : this.#keep(step, seen, results.length + 1));
      answers.push(answer);
    }
    this.#replayed.set(session, { answers, results });
    return { answers, results };
  }

  /** Returns what the flows answer to one call after the results `before`. */
  judge(
    { tool, arguments: given, prompts }: RecordedStep,
    before: readonly (KeptResult | undefined)[],
  ): FlowAnswer {
    const results = before.filter((result) => result !== undefined);
    const history = { results, isPartial: false };
    const answer = this.#judges.get(tool)?.judge?.({ arguments: given, prompts, history }) ?? null;
    const asks = answer?.answer === "ask" || answer?.answer === "deny";
    return { asks, origins: answer?.origins ?? [] };
  }

  #keep(
    { tool, arguments: given, value, isError }: RecordedStep,
    origins: readonly ValueOrigin[],
    call: number,
  ): KeptResult {
    const known = this.#judges.get(tool)?.tool;
    const confirmed = confirmedValues(origins, given);
    const owner = known?.owner ?? "";
    return {
      call,
      tool,
      owner,
      arguments: withoutContent(given, known?.content),
      value,
      isError,
      ...(confirmed.length > 0 && { confirmed }),
    };
  }
}

type Judge =
  | ((call: {
      readonly arguments: JsonObject;
      readonly prompts: readonly string[];
      readonly history: { readonly results: readonly KeptResult[]; readonly isPartial: boolean };
    }) => PolicyAnswer)
  | null;
