import { expect, test } from "vitest";
import { converse } from "../../src/plan-evals/converse.ts";

const done = { text: "", usage: { inputTokens: 3, outputTokens: 2 }, cost: null };

/** A conversation in which the model answers with these turns. */
async function talk(replies: readonly object[], ...turns: readonly object[]) {
  const asked: Record<string, unknown>[] = [];
  const reasoner = {
    async run(_host: unknown, options: Record<string, unknown>) {
      asked.push(options);
      return { ...done, ...turns[asked.length - 1] };
    },
  };
  const evaluation = { prompt: "Hello", replies, requests: 4, user: "ada" };
  const end = await converse(
    {} as never,
    { reasoner, settings: { model: "m" } } as never,
    evaluation as never,
    { sessionId: "s1", clock: { now: () => 0 } as never },
  );
  return { ...end, prompts: asked.map(({ prompt }) => prompt), asked };
}

test("each answer gets the first reply that fits and was not said, until none fits", async () => {
  const replies = [
    { when: ["Which DAY", "when"], say: "Monday" },
    { when: [], say: "Yes" },
    { when: ["never"], say: "No" },
  ];
  const { prompts, seen, failure } = await talk(
    replies,
    { text: "Shall I?" },
    { text: "On which day?" },
    { text: "When?" },
  );

  expect(prompts).toEqual(["Hello", "Yes", "Monday"]);
  expect([seen.text, seen.tokens, seen.cost, failure]).toEqual(["When?", 15, undefined, null]);
});

test("each turn is the user's, in one session, with at most so many requests", async () => {
  const { asked, seen } = await talk([], { cost: { amount: 0.5, currency: "EUR" } });

  expect(asked).toMatchObject([
    { sessionId: "s1", userId: "ada", settings: { model: "m", maxIterations: 4 }, prompt: "Hello" },
  ]);
  expect(seen.cost).toBe(0.5);
  expect(seen.durationMs).toBeGreaterThanOrEqual(0);
});

test.each([
  [{ code: "MODEL_FAILED", message: "no" }, "the turn failed: MODEL_FAILED no"],
  [{ code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED", message: "no" }, null],
])("a turn that ends with %j ends the conversation", async (error, failure) => {
  const end = await talk([{ when: [], say: "Go" }], { error }, {});

  expect([end.prompts, end.failure]).toEqual([["Hello"], failure]);
});
