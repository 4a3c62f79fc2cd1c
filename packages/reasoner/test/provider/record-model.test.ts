import type { JsonObject } from "@toolmount/core";
import type { Model, ModelPart, ModelRequest } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { recordedModel } from "../../src/provider/record-model.ts";

type Finish = ModelPart & { readonly type: "finish" };

const usage = { requests: 1, inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 2 };
const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] };
const finish: Finish = {
  type: "finish",
  items: [said],
  usage,
  responseId: "resp_1",
  model: "m-2",
  incomplete: null,
};
const request: ModelRequest = {
  instructions: "Help.",
  items: [{ type: "message", role: "user", content: "hello" }],
  previousResponseId: null,
  tools: [],
  settings: { stream: false, parallelToolCalls: true, store: false },
};

/** A model that gives one text and its last part, and what was recorded of it. */
async function recorded(last: Finish, find: ((request: string) => JsonObject | null) | null = null) {
  let asked = 0;
  const model: Model = {
    provider: "server:1",
    model: "m",
    abilities: { tools: true, parallelCalls: true, streaming: true, serverState: false },
    contextTokens: 1_000,
    async *respond() {
      asked++;
      yield { type: "text", index: 0, text: "hi" };
      yield last;
    },
  };
  const answers: { readonly answer: JsonObject; readonly request: string }[] = [];
  const wrapped = recordedModel(model, {
    record: (answer, digest) => void answers.push({ answer, request: digest }),
    find,
  });
  const ask = async (of: ModelRequest = request) => {
    const parts: ModelPart[] = [];
    for await (const part of wrapped.respond(of, { signal: new AbortController().signal })) parts.push(part);
    return parts;
  };
  return { ask, answers, wrapped, model, asked: () => asked };
}

test("a model that is recorded says the same of itself, and answers as before", async () => {
  const { ask, wrapped, model } = await recorded(finish);
  const { respond: _, ...facts } = model;

  expect(wrapped).toMatchObject(facts);
  expect(await ask()).toEqual([{ type: "text", index: 0, text: "hi" }, finish]);
});

test.each([
  ["a whole answer", finish, { status: "completed" }],
  [
    "an answer that was cut",
    { ...finish, incomplete: "max_output_tokens" },
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
  ],
])("%s is recorded as a response of the Responses API", async (_title, last, more) => {
  const { ask, answers } = await recorded(last);
  await ask();

  expect(answers).toEqual([
    {
      request: expect.stringMatching(/^[0-9a-f]{64}$/),
      answer: {
        id: "resp_1",
        model: "m-2",
        output: [said],
        usage: {
          input_tokens: 10,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 2 },
        },
        ...more,
      },
    },
  ]);
});

test("a recorded answer is found again, and the model is not asked", async () => {
  const first = await recorded(finish);
  await first.ask();
  const [{ answer, request: digest }] = first.answers as [{ answer: JsonObject; request: string }];
  const again = await recorded(finish, (wanted) => (wanted === digest ? answer : null));

  expect(await again.ask()).toEqual([finish]);
  expect([again.asked(), again.answers]).toEqual([0, []]);
  await again.ask({ ...request, instructions: "Help more." });
  expect([again.asked(), again.answers.length]).toEqual([1, 1]);
});

describe("two requests have one answer", () => {
  const call = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "c1", output: "seen" };
  const base = [...request.items, call, result];
  test.each<[string, Partial<ModelRequest>, boolean]>([
    [
      "where the same calls have other arguments, which a recording may have masked",
      { items: [...request.items, { ...call, arguments: '{"key":"[masked]"}' }, result] },
      true,
    ],
    ["where the model's own texts differ", { items: [...request.items, call, said, result] }, true],
    [
      "where only its reasoning differs",
      { items: [...request.items, call, { type: "reasoning", id: "r" }, result] },
      true,
    ],
    ["where only settings differ", { items: base, settings: { ...request.settings, stream: true } }, true],
    [
      "not where a call has another name",
      { items: [...request.items, { ...call, name: "list" }, result] },
      false,
    ],
    [
      "not where a call has another id",
      { items: [...request.items, { ...call, call_id: "c2" }, result] },
      false,
    ],
    ["not where a result differs", { items: [...request.items, call, { ...result, output: "gone" }] }, false],
    [
      "not where the user says something else",
      { items: [{ type: "message", role: "user", content: "bye" }, call, result] },
      false,
    ],
    [
      "not where the tools differ",
      { items: base, tools: [{ name: "t", description: "T.", schema: {}, strict: false }] },
      false,
    ],
    ["not where the instructions differ", { items: base, instructions: "Do not help." }, false],
  ])("%s", async (_title, other, isSame) => {
    const { ask, answers } = await recorded(finish);
    await ask({ ...request, items: base });
    await ask({ ...request, ...other });

    expect(answers[0]!.request === answers[1]!.request).toBe(isSame);
  });
});
