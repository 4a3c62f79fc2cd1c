import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, OpenAIProvider, Runner, tool as agentsTool, type AgentInputItem } from "@openai/agents";
import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import type { ProviderApi } from "@toolmount/testing/providers";
import { generateText, stepCountIs, streamText, tool as aiTool, type ModelMessage } from "ai";
import { createAgent } from "langchain";
import { z } from "zod";
import { pdf, png } from "../support/world.ts";

/** A loop over a model that keeps its conversation. Each uses its own kind of tools. */
export interface Loop {
  readonly name: string;
  /** The package whose version the page names. */
  readonly from: string;
  /** The APIs that it has. */
  readonly apis: readonly string[];
  open(world: World): (prompt: string) => Promise<string>;
}

/** The server that a loop asks, and what its tools do. */
interface World {
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly ran: string[];
  /** Whether answers are asked for as streams. */
  readonly isStreamed: boolean;
}

const odd = "a half \ud83d of a pair";
const every = ["Responses", "Chat Completions", "Anthropic Messages", "Gemini"];
const descriptions = {
  look: "Looks.",
  purge: "Deletes.",
  shot: "Takes a picture.",
  scan: "Scans a letter.",
  odd: "Returns odd text.",
};
const schemas = {
  look: z.object({ id: z.string() }),
  purge: z.object({ folder: z.string() }),
  shot: z.object({}),
  scan: z.object({}),
  odd: z.object({}),
};

const origin = (baseUrl: string) => new URL(baseUrl).origin;

/** The whole conversation is in each request: a server that stores items is another test. */
const providerOptions = { openai: { store: false } };

function aiSdkModel(api: ProviderApi, baseURL: string) {
  if (api.name === "Responses") return createOpenAI({ apiKey: "k", baseURL })("m");
  if (api.name === "Anthropic Messages") return createAnthropic({ apiKey: "k", baseURL })("m");
  if (api.name === "Gemini") return createGoogleGenerativeAI({ apiKey: "k", baseURL })("gemini-3-pro");
  return createOpenAICompatible({ name: "m", apiKey: "k", baseURL })("m");
}

const toolmount: Loop = {
  name: "toolmount",
  from: "@toolmount/reasoner",
  apis: every,
  open({ api, baseUrl, ran, isStreamed }) {
    const store = createMemoryStore();
    const host = createHost({ store });
    host.coordinator.mount("session-store", store.sessions);
    host.coordinator.registerCapability(
      "host.import_package",
      (name: string) => import(name) as Promise<object>,
    );
    const facts = { category: "side_effect", consequenceLevel: "low", requiresConfirmation: false } as const;
    const mount = (
      name: keyof typeof schemas,
      execute: (given: Readonly<Record<string, string>>) => object,
    ) =>
      host.coordinator.mount(
        "tools",
        defineTool({
          name,
          description: descriptions[name],
          schema: schemas[name] as z.ZodObject,
          ...facts,
          execute: async (given) => execute(given as Readonly<Record<string, string>>) as never,
        }),
      );
    mount("look", ({ id }) => data(ran.push(`look ${id}`)));
    mount("purge", ({ folder }) => data(ran.push(`purge ${folder}`)));
    mount("shot", () => ({
      ...data("a picture"),
      content: [{ type: "image", mimeType: "image/png", data: png }],
    }));
    mount("scan", () => ({
      ...data("a letter"),
      content: [{ type: "file", uri: "file:///a.pdf", mimeType: "application/pdf", data: pdf }],
    }));
    mount("odd", () => data(odd));
    const settings = settingsSchema.parse({
      model: api.model,
      baseUrl,
      apiKey: "k",
      retryDelayMs: 1,
      stream: isStreamed,
    });
    const reasoner = createReasoner(host.coordinator, { settings });
    return async (prompt) => {
      const { status, text, error } = await reasoner.run(host, { sessionId: "s", prompt });
      if (status === "failed") throw new Error(error?.message ?? status);
      return text;
    };
  },
};

const aiSdk: Loop = {
  name: "AI SDK",
  from: "ai",
  apis: every,
  open({ api, baseUrl, ran, isStreamed }) {
    const model = aiSdkModel(api, baseUrl);
    const tools = {
      look: aiTool({
        description: "Looks.",
        inputSchema: schemas.look,
        execute: async ({ id }) => ran.push(`look ${id}`),
      }),
      purge: aiTool({
        description: "Deletes.",
        inputSchema: schemas.purge,
        execute: async ({ folder }) => ran.push(`purge ${folder}`),
      }),
      shot: aiTool({
        description: "Takes a picture.",
        inputSchema: schemas.shot,
        execute: async () => "a picture",
        toModelOutput: () => ({
          type: "content",
          value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: png } }],
        }),
      }),
      scan: aiTool({
        description: "Scans a letter.",
        inputSchema: schemas.scan,
        execute: async () => "a letter",
        toModelOutput: () => ({
          type: "content",
          value: [
            {
              type: "file",
              mediaType: "application/pdf",
              filename: "a.pdf",
              data: { type: "data", data: pdf },
            },
          ],
        }),
      }),
      odd: aiTool({ description: "Returns odd text.", inputSchema: schemas.odd, execute: async () => odd }),
    };
    const messages: ModelMessage[] = [];
    return async (content) => {
      messages.push({ role: "user", content });
      const options = { model, tools, messages, stopWhen: stepCountIs(8), providerOptions };
      const result = isStreamed ? streamText({ ...options, onError: () => {} }) : await generateText(options);
      const text = await result.text;
      messages.push(...(await result.responseMessages));
      return text;
    };
  },
};

const openaiAgents: Loop = {
  name: "OpenAI Agents",
  from: "@openai/agents",
  apis: ["Responses", "Chat Completions"],
  open({ api, baseUrl: baseURL, ran, isStreamed }) {
    const provider = new OpenAIProvider({ apiKey: "k", baseURL, useResponses: api.name === "Responses" });
    const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
    const tools = [
      agentsTool({
        name: "look",
        description: "Looks.",
        parameters: schemas.look,
        execute: ({ id }) => ran.push(`look ${id}`),
      }),
      agentsTool({
        name: "purge",
        description: "Deletes.",
        parameters: schemas.purge,
        execute: ({ folder }) => ran.push(`purge ${folder}`),
      }),
      agentsTool({
        name: "shot",
        description: "Takes a picture.",
        parameters: schemas.shot,
        execute: () => ({ type: "image", image: { data: png, mediaType: "image/png" } }),
      }),
      agentsTool({
        name: "scan",
        description: "Scans a letter.",
        parameters: schemas.scan,
        execute: () => ({
          type: "file",
          file: { data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
        }),
      }),
      agentsTool({
        name: "odd",
        description: "Returns odd text.",
        parameters: schemas.odd,
        execute: () => odd,
      }),
    ];
    const agent = new Agent({ name: "a", model: "m", tools });
    let items: AgentInputItem[] = [];
    return async (content) => {
      items.push({ role: "user", content });
      const result = isStreamed
        ? await runner.run(agent, items, { stream: true })
        : await runner.run(agent, items);
      if ("completed" in result) await result.completed;
      items = result.history;
      return result.finalOutput ?? "";
    };
  },
};

const mastra: Loop = {
  name: "Mastra",
  from: "@mastra/core",
  apis: every,
  open({ api, baseUrl, ran, isStreamed }) {
    const tools = {
      look: createTool({
        id: "look",
        description: "Looks.",
        inputSchema: schemas.look,
        execute: async ({ id }) => ran.push(`look ${id}`),
      }),
      purge: createTool({
        id: "purge",
        description: "Deletes.",
        inputSchema: schemas.purge,
        execute: async ({ folder }) => ran.push(`purge ${folder}`),
      }),
      shot: createTool({
        id: "shot",
        description: "Takes a picture.",
        inputSchema: schemas.shot,
        execute: async () => "a picture",
        toModelOutput: () => ({
          type: "content",
          value: [{ type: "media", mediaType: "image/png", data: png }],
        }),
      }),
      scan: createTool({
        id: "scan",
        description: "Scans a letter.",
        inputSchema: schemas.scan,
        execute: async () => "a letter",
        toModelOutput: () => ({
          type: "content",
          value: [{ type: "media", mediaType: "application/pdf", data: pdf }],
        }),
      }),
      odd: createTool({
        id: "odd",
        description: "Returns odd text.",
        inputSchema: schemas.odd,
        execute: async () => odd,
      }),
    };
    const model = aiSdkModel(api, baseUrl) as never; // its type lags behind that of the AI SDK
    const made = new MastraAgent({ id: "a", name: "a", instructions: "Work.", model, tools, maxRetries: 2 });
    const agent = new Mastra({ agents: { made }, logger: false }).getAgent("made");
    const messages: object[] = [];
    return async (content) => {
      messages.push({ role: "user", content });
      const options = { maxSteps: 8, providerOptions, modelSettings: { maxRetries: 2 } };
      const { text, response, error } = isStreamed
        ? await (await agent.stream(messages as never, options)).getFullOutput()
        : await agent.generate(messages as never, options);
      if (error !== undefined) throw error;
      messages.push(...((response.messages ?? []) as object[]));
      return text;
    };
  },
};

const langChain: Loop = {
  name: "LangChain",
  from: "langchain",
  apis: every,
  open({ api, baseUrl, ran, isStreamed }) {
    const configuration = { baseURL: baseUrl };
    const makers: Readonly<Record<string, () => ChatOpenAI | ChatAnthropic | ChatGoogleGenerativeAI>> = {
      Responses: () => new ChatOpenAI({ model: "m", apiKey: "k", configuration, useResponsesApi: true }),
      "Chat Completions": () => new ChatOpenAI({ model: "m", apiKey: "k", configuration }),
      "Anthropic Messages": () =>
        new ChatAnthropic({ model: "m", apiKey: "k", anthropicApiUrl: origin(baseUrl) }),
      Gemini: () =>
        new ChatGoogleGenerativeAI({
          model: "gemini-3-pro",
          apiKey: "k",

          baseUrl: origin(baseUrl),
        }),
    };
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${png}` } };
    const file = { type: "file" as const, mimeType: "application/pdf", data: pdf };
    const tools = [
      langChainTool(async ({ id }) => String(ran.push(`look ${id}`)), {
        name: "look",
        description: "Looks.",
        schema: schemas.look,
      }),
      langChainTool(async ({ folder }) => String(ran.push(`purge ${folder}`)), {
        name: "purge",
        description: "Deletes.",
        schema: schemas.purge,
      }),
      langChainTool(
        async (_, { toolCall }: { toolCall?: { id?: string } }) =>
          new ToolMessage({ content: [image], tool_call_id: toolCall?.id ?? "" }),
        { name: "shot", description: "Takes a picture.", schema: schemas.shot },
      ),
      langChainTool(
        async (_, { toolCall }: { toolCall?: { id?: string } }) =>
          new ToolMessage({ content: [file], tool_call_id: toolCall?.id ?? "" }),
        { name: "scan", description: "Scans a letter.", schema: schemas.scan },
      ),
      langChainTool(async () => odd, { name: "odd", description: "Returns odd text.", schema: schemas.odd }),
    ];
    const agent = createAgent({ model: makers[api.name]!(), tools });
    let messages: BaseMessage[] = [];
    return async (content) => {
      const input = { messages: [...messages, { role: "user", content }] as BaseMessage[] };
      if (!isStreamed) messages = (await agent.invoke(input)).messages;
      else
        for await (const [mode, value] of await agent.stream(input, { streamMode: ["messages", "values"] }))
          if (mode === "values") messages = value.messages;
      return messages.at(-1)!.text;
    };
  },
};

export const loops: readonly Loop[] = [toolmount, aiSdk, openaiAgents, mastra, langChain];
