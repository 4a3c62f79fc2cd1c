import { fromAiSdkTool, fromLangChainTool, toAiSdkTools, toLangChainTools } from "@toolmount/interop";
import { Runnable } from "@langchain/core/runnables";
import { tool as langChainTool } from "@langchain/core/tools";
import { convertToOpenAITool, isLangChainTool } from "@langchain/core/utils/function_calling";
import { generateText, jsonSchema, stepCountIs, tool as aiTool, type asSchema } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hostWithAdapters, hostWithAdd } from "../support/world.ts";

describe("the AI SDK itself", () => {
  /** A model that calls one tool. */
  const calling = (input: string) =>
    new MockLanguageModelV4({
      doGenerate: {
        content: [{ type: "tool-call", toolCallId: "c-1", toolName: "add", input }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      },
    });
  const ask = async (input: string) => {
    const { host, heard } = await hostWithAdd();
    const tools = toAiSdkTools(host, host.tools(), { sessionId: "s" });
    const model = calling(input);
    const { content } = await generateText({ model, tools, prompt: "add" });
    return { content, heard, offered: model.doGenerateCalls[0]?.tools };
  };

  test("gives the image of a result to the model", async () => {
    const { host } = await hostWithAdapters();
    const content = [{ type: "image" as const, mimeType: "image/png", data: "aGVsbG8=" }];
    host.coordinator.mount("tools", {
      name: "add",
      description: "Takes a picture.",
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      schema: { type: "object", properties: {} },
      execute: () => ({ data: "a cat", content }),
    });
    const model = calling("{}");
    await generateText({
      model,
      tools: toAiSdkTools(host, host.tools()),
      prompt: "look",
      stopWhen: stepCountIs(2),
    });
    const { prompt } = model.doGenerateCalls[1]!;

    expect(prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [
        {
          output: {
            type: "content",
            value: [
              { type: "text", text: "a cat" },
              { type: "file", mediaType: "image/png", data: { type: "data", data: "aGVsbG8=" } },
            ],
          },
        },
      ],
    });
  });

  test("offers our tools to its model, runs a call in our host, and reads its answer", async () => {
    const { content, heard, offered } = await ask('{"a":1,"b":2}');

    expect(offered).toMatchObject([
      {
        type: "function",
        name: "add",
        description: "Adds two numbers.",
        inputSchema: { required: ["a", "b"] },
      },
    ]);
    expect(content).toContainEqual(
      expect.objectContaining({ type: "tool-result", toolCallId: "c-1", output: { sum: 3 } }),
    );
    expect(heard).toEqual([["c-1", "s"]]);
  });

  test("reports to its model a call that our host refused", async () => {
    const { content, heard } = await ask('{"a":1}');

    expect(content.find(({ type }) => type === "tool-error")).toMatchObject({
      error: { code: "INVALID_ARGUMENTS", message: expect.stringContaining('"b" is required') as string },
    });
    expect(heard).toEqual([]);
  });

  test.each([
    ["Zod", z.object({ city: z.string() })],
    [
      "its own jsonSchema",
      jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      }),
    ],
  ])("makes tools with a schema by %s that mount here", async (_, inputSchema) => {
    const { host } = await hostWithAdapters();
    const made = aiTool({
      description: "Gets the weather.",
      inputSchema: inputSchema as ReturnType<typeof asSchema<{ city: string }>>,
      execute: async ({ city }, { toolCallId }) => ({ city, toolCallId }),
    });
    host.coordinator.mount("tools", fromAiSdkTool("weather", made as never));

    expect((await host.call({ id: "c", name: "weather", arguments: { city: "Rome" } })).result.data).toEqual({
      city: "Rome",
      toolCallId: "c",
    });
    expect((await host.call({ name: "weather", arguments: { city: 1 } })).status).toBe("invalid");
  });
});

describe("LangChain itself", () => {
  test("knows our tools as its own, and offers them to a model by its own words", async () => {
    const { host } = await hostWithAdd();
    const [ours] = toLangChainTools(host, host.tools());

    expect(isLangChainTool(ours)).toBe(true);
    expect(Runnable.isRunnable(ours)).toBe(true); // what createAgent and createReactAgent ask
    expect(convertToOpenAITool(ours!)).toMatchObject({
      type: "function",
      function: {
        name: "add",
        description: "Adds two numbers.",
        parameters: { required: ["a", "b"] },
      },
    });
  });

  test("makes a tool that mounts here; its arguments, thread and failure arrive", async () => {
    const { host } = await hostWithAdapters();
    const seen: unknown[] = [];
    const made = langChainTool(
      async ({ city }, config: { configurable?: { thread_id?: string } }) => {
        seen.push(config.configurable?.thread_id);
        if (city === "Nowhere") throw new Error("no such place");
        return `sunny in ${city}`;
      },
      {
        name: "weather",
        description: "Gets the weather.",
        schema: z.object({ city: z.string() }),
      },
    );
    host.coordinator.mount("tools", fromLangChainTool(made as never));
    const call = async (city: unknown) =>
      host.call({ name: "weather", arguments: { city } }, { sessionId: "t-1" });

    expect((await call("Rome")).result.data).toBe("sunny in Rome");
    expect((await call(1)).status).toBe("invalid");
    expect((await call("Nowhere")).result).toMatchObject({ error: "weather failed", code: "TOOL_FAILED" });
    expect(seen).toEqual(["t-1", "t-1"]);
  });
});
