import * as google from "@ai-sdk/google";
import { expect, test } from "vitest";
import { call, response, say, tool, world, type Answer, type WorldOptions } from "../support/world.ts";

// The kinds of Amplifier's taxonomy that are not a status of HTTP; the others are in provider.process.test.ts.

/** The failure of a turn, with what observers of `provider:error` heard of it. */
async function failureOf(
  answers: Parameters<typeof world>[0],
  settings: NonNullable<WorldOptions["settings"]> = {},
  more: Parameters<Awaited<ReturnType<typeof world>>["run"]>[1] = {},
) {
  const { host, run, heard, requests } = await world(answers, {
    settings: { retries: 2, apiKey: "k", ...settings },
    tools: [tool("echo", () => "echo")],
  });
  host.coordinator.registerCapability("host.import_package", async (name) =>
    name === "@ai-sdk/google" ? google : null,
  );
  const turn = await run("hello", more);
  const reported = heard.filter(({ event }) => event === "provider:error").map(({ data }) => data);
  return { turn, reported, requests };
}

const written = '<function=echo {"text": "a}</function>';
const refused: Answer = {
  status: 400,
  body: {
    error: { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: written },
  },
};
const malformed: Answer = {
  body: {
    candidates: [
      { content: { role: "model", parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
};

test.each([
  { wire: "Responses", model: "m", answer: refused, raw: { toolName: "echo", rawArguments: written } },
  {
    wire: "Chat Completions",
    model: "openai-compatible:m",
    answer: refused,
    raw: { toolName: "echo", rawArguments: written },
  },
  { wire: "Gemini", model: "google:m", answer: malformed, raw: {} },
])(
  "AMP-N61: a call that the model wrote so that the server cannot read it is invalid_tool_call ($wire)",
  async ({ model, answer, raw }) => {
    const { turn, reported, requests } = await failureOf([answer, answer], { model });

    expect(turn).toMatchObject({
      status: "failed",
      error: {
        code: "PROVIDER_FAILED",
        details: { kind: "invalid_tool_call", retryable: false, model: "m", ...raw },
      },
    });
    const one = { kind: "invalid_tool_call", model: "m", delay_multiplier: 2 };
    expect(reported).toMatchObject([one, one]);
    expect(requests).toHaveLength(2);
  },
);

test("the model reads that its call could not be read, and makes it again", async () => {
  const good = response([call("c1", "echo")]);
  const { turn, requests } = await failureOf([refused, good, response([say("done")])], { model: "m" });
  expect(turn).toMatchObject({ status: "done", text: "done", calls: 1 });
  expect(requests[1]!.input.at(-1)).toMatchObject({
    role: "developer",
    content: expect.stringContaining(`You wrote: ${written}`) as string,
  });
});

test.each([{ model: "m" }, { model: "openai-compatible:m" }])(
  "AMP-N61: a request that its caller cancels is abort, and is not made again ($model)",
  async ({ model }) => {
    const controller = new AbortController();
    const answers = () => {
      controller.abort();
      return new Promise<Answer>(() => {});
    };
    const { turn, reported, requests } = await failureOf(
      answers,
      { model },
      { abortSignal: controller.signal },
    );

    expect(turn.status).toBe("cancelled");
    expect(reported).toMatchObject([{ kind: "abort", retryable: false, provider: expect.any(String) }]);
    expect(requests).toHaveLength(1);
  },
);

test.each([{ model: "google:m" }, { model: "m", baseUrl: undefined }])(
  "AMP-N61: a model without the key that it needs is configuration, and no request is made ($model)",
  async (settings) => {
    const answers = [response([call("c1", "echo")])];

    await expect(failureOf(answers, { ...settings, apiKey: undefined })).rejects.toMatchObject({
      code: "PROVIDER_FAILED",
      details: { kind: "configuration", retryable: false, model: "m", provider: expect.any(String) },
    });
  },
);
