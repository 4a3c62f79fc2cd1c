import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { data, defineTool, type Host } from "@toolmount/core";
import {
  toAiSdkTools,
  toAnthropicRunner,
  toClaudeAgentTools,
  toGemini,
  toGeminiCallable,
  toLangChainTools,
  toMastraTools,
  toOpenAIAgentsTools,
} from "@toolmount/interop";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  responsesApi,
  type ProviderApi,
} from "@toolmount/testing/providers";
import { generateText, stepCountIs } from "ai";
import { createAgent } from "langchain";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentWorld, pdf } from "./support/world.ts";

const scan = defineTool({
  name: "scan",
  description: "Scans a letter. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async () => ({
    ...data("three files"),
    content: [
      { type: "file", uri: "https://files.example/letter.pdf", mimeType: "application/pdf", data: pdf },
      { type: "file", uri: "file:///sums.csv", mimeType: "text/csv", data: btoa("city,sum\nOslo,7") },
      { type: "file", uri: "https://files.example/all.zip", mimeType: "application/zip", data: "UEsDBA==" },
    ],
  }),
});

async function world(api: ProviderApi) {
  const made = await agentWorld(api, [
    { calls: [{ id: "call_1", name: "scan", arguments: "{}" }] },
    { text: "read" },
  ]);
  const host = await made.open();
  host.coordinator.mount("tools", scan);
  return { host, baseURL: made.server.baseUrl, server: made.server };
}

const prompt = "Scan the letter.";

function langChainModel(api: ProviderApi, baseURL: string) {
  const { origin } = new URL(baseURL);
  if (api === anthropicApi) return new ChatAnthropic({ model: "m", apiKey: "k", anthropicApiUrl: origin });
  if (api === geminiApi)
    return new ChatGoogleGenerativeAI({ model: "gemini-3-pro", apiKey: "k", baseUrl: origin });
  const useResponsesApi = api === responsesApi;
  return new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL }, useResponsesApi });
}

function aiSdkModel(api: ProviderApi, baseURL: string, gemini = "gemini-3-pro") {
  if (api === anthropicApi) return createAnthropic({ apiKey: "k", baseURL })("m");
  if (api === geminiApi) return createGoogleGenerativeAI({ apiKey: "k", baseURL })(gemini);
  const openai = createOpenAI({ apiKey: "k", baseURL });
  return api === chatApi ? openai.chat("m") : openai("m");
}

interface Row {
  readonly library: string;
  readonly api: ProviderApi;
  readonly run: (host: Host, baseURL: string) => Promise<unknown>;
}

const rows: readonly Row[] = [
  ...[responsesApi, anthropicApi, geminiApi].map((api): Row => ({
    library: "AI SDK",
    api,
    run: (host, baseURL) =>
      generateText({
        model: aiSdkModel(api, baseURL),
        tools: toAiSdkTools(host, host.tools()),
        prompt,
        stopWhen: stepCountIs(2),
        providerOptions: { openai: { store: false } },
      }),
  })),
  {
    library: "AI SDK, an older model",
    api: geminiApi,
    run: (host, baseURL) =>
      generateText({
        model: aiSdkModel(geminiApi, baseURL, "gemini-2.5-flash"),
        tools: toAiSdkTools(host, host.tools()),
        prompt,
        stopWhen: stepCountIs(2),
      }),
  },
  ...[responsesApi, anthropicApi, geminiApi].map((api): Row => ({
    library: "Mastra",
    api,
    run: (host, baseURL) => {
      const model = aiSdkModel(api, baseURL) as never; // its type lags behind that of the AI SDK
      const tools = toMastraTools(host, host.tools());
      const made = new MastraAgent({ id: "a", name: "a", instructions: "Work.", model, tools });
      const agent = new Mastra({ agents: { made }, logger: false }).getAgent("made");
      return agent.generate(prompt, { providerOptions: { openai: { store: false } } });
    },
  })),
  ...[responsesApi, anthropicApi, geminiApi].flatMap((api): Row[] => {
    const messages = [{ role: "user", content: prompt }];
    const files = api === responsesApi ? "responses" : "standard";
    const tools = (host: Host) => toLangChainTools(host, host.tools(), { ToolMessage, files });
    return [
      {
        library: "LangChain",
        api,
        run: (host, baseURL) =>
          createAgent({ model: langChainModel(api, baseURL), tools: tools(host) }).invoke({ messages }),
      },
      {
        library: "LangGraph",
        api,
        run: (host, baseURL) =>
          createReactAgent({ llm: langChainModel(api, baseURL), tools: tools(host) }).invoke({ messages }),
      },
    ];
  }),
  {
    library: "OpenAI Agents",
    api: responsesApi,
    run: (host, baseURL) => {
      const modelProvider = new OpenAIProvider({ apiKey: "k", baseURL, useResponses: true });
      const agent = new Agent({ name: "a", model: "m", tools: toOpenAIAgentsTools(host, host.tools()) });
      return new Runner({ modelProvider, tracingDisabled: true }).run(agent, prompt);
    },
  },
  {
    library: "Anthropic's tool runner",
    api: anthropicApi,
    run: (host, baseURL) => {
      const client = new Anthropic({ apiKey: "k", baseURL: new URL(baseURL).origin });
      const { tools } = toAnthropicRunner(host, host.tools());
      const messages = [{ role: "user" as const, content: prompt }];
      return client.beta.messages
        .toolRunner({ model: "m", max_tokens: 1_000, tools, messages, thread: false })
        .runUntilDone();
    },
  },
  {
    library: "Gemini's callable tools",
    api: geminiApi,
    run: (host, baseURL) => {
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: new URL(baseURL).origin } });
      const config = { tools: [toGeminiCallable(host, host.tools())] };
      return client.models.generateContent({ model: "m", contents: prompt, config });
    },
  },
  {
    library: "toGemini in a loop of one's own",
    api: geminiApi,
    run: async (host, baseURL) => {
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: new URL(baseURL).origin } });
      const { tools, readCall, writeParts } = toGemini(host.tools());
      const asked = await client.models.generateContent({ model: "m", contents: prompt, config: { tools } });
      const answer = asked.candidates![0]!.content!;
      const outcome = await host.call(readCall(answer.parts![0]));
      const contents = [
        { role: "user", parts: [{ text: prompt }] },
        answer,
        { role: "user", parts: writeParts(outcome) },
      ];
      return client.models.generateContent({ model: "m", contents, config: { tools } });
    },
  },
];

test.each(rows.map((row) => ({ ...row, name: row.api.name })))(
  "$library over $name: the model gets the PDF of a result, the text of a text file, and where another file is",
  async ({ api, run }) => {
    const { host, baseURL, server } = await world(api);
    await run(host, baseURL);
    const [, text = ""] = server.texts;
    expect(text.match(formOf[api.name]!)).not.toBeNull();
    expect(text.split(pdf)).toHaveLength(2);
    expect(text).toContain(String.raw`city,sum\nOslo,7`);
    expect(text).toContain("all.zip is left out");
    expect(text).toContain("https://files.example/all.zip");
    expect(text).not.toContain("UEsDBA==");
  },
);

/** How an API has a file. The strict server checks that its bytes and its name are whole. */
const formOf: Readonly<Record<string, RegExp>> = {
  Responses: /"type":"input_file"/,
  "Anthropic Messages": /"type":"document"/,
  Gemini: /"inlineData":\{("mimeType":"application\/pdf"|"data":"JVBERi)/,
};

test.each<Row>([
  {
    library: "AI SDK, with media: false",
    api: chatApi,
    run: (host, baseURL) =>
      generateText({
        model: aiSdkModel(chatApi, baseURL),
        tools: toAiSdkTools(host, host.tools(), { media: false }),
        prompt,
        stopWhen: stepCountIs(2),
      }),
  },
  {
    library: "Mastra, with media: false",
    api: chatApi,
    run: (host, baseURL) => {
      const model = { id: "local/m", url: baseURL, apiKey: "k" } as const;
      const tools = toMastraTools(host, host.tools(), { media: false });
      const made = new MastraAgent({ id: "a", name: "a", instructions: "Work.", model, tools });
      return new Mastra({ agents: { made }, logger: false }).getAgent("made").generate(prompt);
    },
  },
  ...[chatApi, responsesApi, anthropicApi].map((api): Row => ({
    library: "LangChain, as long as nothing else is said",
    api,
    run: (host, baseURL) =>
      createAgent({
        model: langChainModel(api, baseURL),
        tools: toLangChainTools(host, host.tools(), { ToolMessage }),
      }).invoke({ messages: [{ role: "user", content: prompt }] }),
  })),
])(
  "$library over $api.name: the model reads that a file was left out, and where it is",
  async ({ api, run }) => {
    const { host, baseURL, server } = await world(api);
    await run(host, baseURL);
    const [, text = ""] = server.texts;
    expect(text).toContain("the file letter.pdf is left out: this model gets none from results");
    expect(text).toContain("https://files.example/letter.pdf");
    expect(text).toContain(String.raw`city,sum`);
    expect(text).not.toContain("JVBERi");
  },
);

test("the Claude Agent SDK gets a PDF as an embedded resource, in the words of MCP", async () => {
  const { host } = await world(anthropicApi);
  const { tools } = toClaudeAgentTools(host, host.tools());
  const { content } = await tools.find(({ name }) => name === "scan")!.handler({}, {});
  expect(content).toEqual([
    { type: "text", text: expect.stringContaining("all.zip is left out") as string },
    {
      type: "resource",
      resource: { uri: "https://files.example/letter.pdf", mimeType: "application/pdf", blob: pdf },
    },
  ]);
});
