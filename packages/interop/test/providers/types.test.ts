import type Anthropic from "@anthropic-ai/sdk";
import type { ToolListUnion } from "@google/genai";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { toAiSdkTools, toAnthropic, toGemini, toLangChainTools, toOpenAI } from "@toolmount/interop";
import type { ToolSet } from "ai";
import type OpenAI from "openai";
import { expect, expectTypeOf, test } from "vitest";
import { hostWithAdapters } from "../support/world.ts";

async function world() {
  const { host } = await hostWithAdapters();
  host.coordinator.mount("tools", {
    name: "add",
    description: "Adds.",
    schema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} },
    execute: () => ({ data: 3 }),
  });
  return host;
}

test("tools for the AI SDK are a ToolSet, without a cast", async () => {
  const host = await world();
  const tools: ToolSet = toAiSdkTools(host, host.tools());

  expect(Object.keys(tools)).toEqual(["add"]);
  expectTypeOf(toAiSdkTools).returns.toExtend<ToolSet>();
});

test("tools and results for Anthropic are parameters of its client, without a cast", async () => {
  const host = await world();
  const { tools, writeResult } = toAnthropic(host.tools());
  const result = writeResult(await host.call({ id: "c", name: "add" }));
  const request: Anthropic.MessageCreateParams = {
    model: "m",
    max_tokens: 1,
    tools,
    messages: [{ role: "user", content: [result] }],
  };

  expect(request.tools).toMatchObject([{ name: "add" }]);
});

test("tools for Gemini are parameters of its client, without a cast and without $schema", async () => {
  const host = await world();
  const tools: ToolListUnion = toGemini(host.tools()).tools;

  expect(tools).toEqual([
    {
      functionDeclarations: [
        { name: "add", description: "Adds.", parametersJsonSchema: { type: "object", properties: {} } },
      ],
    },
  ]);
});

test("tools for LangChain can be bound to its models, without a cast or a copy", async () => {
  const host = await world();
  const tools: BindToolsInput[] = toLangChainTools(host, host.tools());

  expect(tools).toHaveLength(1);
});

test("tools for OpenAI are parameters of its client, without a cast", async () => {
  const host = await world();
  const tools: OpenAI.Responses.Tool[] = toOpenAI(host.tools()).tools;

  expect(tools).toMatchObject([{ type: "function", name: "add" }]);
});

test("the images of a result are parts of OpenAI's output, and one that no model sees is a sentence", async () => {
  const { host } = await hostWithAdapters();
  const image = (mimeType: string) => ({ type: "image" as const, mimeType, data: "aGVsbG8=" });
  host.coordinator.mount("tools", {
    name: "shot",
    description: "Takes a picture.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: { type: "object", properties: {} },
    execute: () => ({ data: "two", content: [image("image/png"), image("image/svg+xml")] }),
  });
  const item: OpenAI.Responses.ResponseInputItem = toOpenAI(host.tools()).writeOutput(
    await host.call({ id: "c", name: "shot" }),
  );

  expect(item).toEqual({
    type: "function_call_output",
    call_id: "c",
    output: [
      { type: "input_text", text: "two\n(an image of the type image/svg+xml)" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,aGVsbG8=" },
    ],
  });
});
