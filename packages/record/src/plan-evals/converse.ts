import type { Clock } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { TurnResult } from "@toolmount/reasoner";
import { createCallCollector, type SeenTurn } from "@toolmount/testing/evals";
import type { OpenReasoner } from "./asking.ts";
import type { PlanEval, Reply } from "./read.ts";

/** A conversation in the form in which it is judged. */
interface Conversation {
  readonly seen: SeenTurn;
  /** Why a turn of the conversation failed; null if all turns succeeded. */
  readonly failure: string | null;
}

/**
 * Gives the prompt to the agent, and answers each of its texts with the first fitting reply that was not used yet. The
 * conversation ends when no reply fits, or when a turn fails.
 */
export async function converse(
  host: OpenedHost,
  { reasoner, settings }: OpenReasoner,
  test: PlanEval,
  { sessionId, clock }: { readonly sessionId: string; readonly clock: Clock },
): Promise<Conversation> {
  const { onEvent, calls } = createCallCollector();
  const limits = { ...settings, maxIterations: test.requests };
  const options = { sessionId, userId: test.user, onEvent, settings: limits };
  const began = clock.now();
  const left = [...test.replies];
  const turns: TurnResult[] = [];
  for (let prompt: string | undefined = test.prompt; prompt !== undefined;) {
    const turn: TurnResult = await reasoner.run(host, { ...options, prompt });
    turns.push(turn);
    prompt = turn.error === undefined ? takeReply(left, turn.text) : undefined;
  }
  const { text, error } = turns.at(-1)!;
  // If the last allowed request made calls, these calls are judged, so this is not a failure.
  const failed = error !== undefined && error.code !== "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED";
  return {
    seen: {
      calls: calls(),
      text,
      durationMs: clock.now() - began,
      tokens: sum(turns.map(({ usage }) => usage.inputTokens + usage.outputTokens)),
      cost: turns.every(({ cost }) => cost !== null) ? sum(turns.map(({ cost }) => cost!.amount)) : undefined,
    },
    failure: failed ? `the turn failed: ${error.code} ${error.message}` : null,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Removes the first reply that fits an answer, and returns what it says. */
function takeReply(left: Reply[], answer: string): string | undefined {
  const text = answer.toLowerCase();
  const at = left.findIndex(
    ({ when }) => when.length === 0 || when.some((part) => text.includes(part.toLowerCase())),
  );
  return at === -1 ? undefined : left.splice(at, 1)[0]!.say;
}
