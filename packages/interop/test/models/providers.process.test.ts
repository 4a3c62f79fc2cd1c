import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createAiSdkModel, type AiSdkLanguageModel } from "@toolmount/interop";
import {
  describeProviders,
  findModelProvider,
  knownProviders,
  listServerModels,
} from "@toolmount/interop/internal";
import { expect, onTestFinished, test } from "vitest";

test("a language model of the AI SDK is accepted without a cast", () => {
  const language: LanguageModelV4 = createAnthropic({ apiKey: "k" })("claude");
  const model = createAiSdkModel(language);

  expect(model).toMatchObject({ provider: "anthropic.messages", model: "claude" });
});

test("a language model of specification v2 is refused with what to update", () => {
  const old = { specificationVersion: "v2", provider: "old", modelId: "m" } as AiSdkLanguageModel;
  expect(() => createAiSdkModel(old)).toThrow(/"old" implements specification "v2".*update the package/);
});

test("each known provider says what is missing, and never shows a key", async () => {
  const env = { ANTHROPIC_API_KEY: "sk-secret" };
  const rows = await describeProviders(async (name) => (name === "@ai-sdk/anthropic" ? {} : null), env);

  expect(rows.map(({ name }) => name)).toEqual(knownProviders.map(({ name }) => name));
  expect(rows.find(({ name }) => name === "anthropic")).toMatchObject({ isInstalled: true, hasKey: true });
  expect(rows.find(({ name }) => name === "google")).toMatchObject({ isInstalled: false, hasKey: false });
  expect(rows.find(({ name }) => name === "ollama")).toMatchObject({ isInstalled: true, hasKey: true });
  expect(JSON.stringify(rows)).not.toContain("sk-secret");
});

test("a package that is installed and cannot be used is reported with its problem, and the others are listed", async () => {
  const packages: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
    "@ai-sdk/anthropic": () => {
      throw new Error("Cannot find module 'zod'");
    },
    "@ai-sdk/google": () => ({ createSomethingElse: () => {} }),
  };
  const importPackage = async (name: string) => packages[name]?.() ?? null;
  const rows = await describeProviders(importPackage, {});
  const rowOf = (name: string) => rows.find((row) => row.name === name);

  expect(rowOf("anthropic")).toMatchObject({
    isInstalled: true,
    problem: expect.stringMatching(/import failed: Cannot find module 'zod'.*update it with: npm install/),
  });
  expect(rowOf("google")?.problem).toContain("it has no createGoogleGenerativeAI");
  expect(rowOf("mistral")).toMatchObject({ isInstalled: false, problem: null });
  expect(rows).toHaveLength(knownProviders.length);
  const google = findModelProvider("google", importPackage)!;
  await expect(google.open("m", { apiKey: "k", timeoutMs: 1 })).rejects.toMatchObject({
    code: "PROVIDER_FAILED",
    details: { kind: "configuration" },
  });
});

test.each([
  { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1", keyVariable: null },
  { name: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1", keyVariable: null },
  { name: "vllm", baseUrl: "http://127.0.0.1:8000/v1", keyVariable: null },
  { name: "openrouter", baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
])(
  "the preset $name is a server of its own, and its package is included",
  async ({ name, baseUrl, keyVariable }) => {
    expect(knownProviders.find((known) => known.name === name)).toMatchObject({ baseUrl, keyVariable });
    const model = await findModelProvider(name, null)!.open("m", {
      baseUrl: "http://127.0.0.1:1/v1", // no server answers there: nothing is known of the model
      apiKey: "k",
      timeoutMs: 1,
    });
    expect(model).toMatchObject({ provider: "127.0.0.1:1", model: "m", abilities: { tools: true } });
  },
);

test("the models of a local server are listed by name", async () => {
  const server = createServer((_, outgoing) =>
    outgoing.end(JSON.stringify({ object: "list", data: [{ id: "qwen" }, { id: "llama3.2:3b" }] })),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  expect(await listServerModels(`http://127.0.0.1:${port}/v1`)).toEqual(["llama3.2:3b", "qwen"]);
});

const manyKeys = Object.fromEntries(Array.from({ length: 500_000 }, (_, at) => [`k${at}`, at]));
const choice = { index: 0, delta: { content: "x".repeat(1_000_000) }, finish_reason: null };
const chunk = `data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`;

test.each([
  [true, chunk.repeat(70), "a stream is larger than 67108864 bytes"],
  [true, `data: ${JSON.stringify({ id: "c", choices: [], ...manyKeys })}\n\n`, "more than 20000 members"],
  [false, JSON.stringify({ id: "c", choices: [{ message: manyKeys }] }), "more than 20000 members"],
  [false, `{"id":"${"x".repeat(17_000_000)}"}`, "a message is larger than 16777216 bytes"],
])(
  "an answer beyond every measure is left unread by the AI SDK, streamed %s",
  async (stream, body, problem) => {
    const server = createServer((_, outgoing) => {
      const type = stream ? "text/event-stream" : "application/json";
      outgoing.writeHead(200, { "content-type": type }).end(body);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const model = await findModelProvider("openai-compatible", null)!.open("m", {
      baseUrl,
      timeoutMs: 600_000,
    });
    const request = {
      instructions: "",
      items: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
      previousResponseId: null,
      tools: [],
      settings: { stream, parallelToolCalls: true, store: false },
    };

    const readAll = async () => {
      for await (const part of model.respond(request, { signal: new AbortController().signal })) void part;
    };

    await expect(readAll()).rejects.toMatchObject({
      code: "PROVIDER_FAILED",
      details: { kind: "stream", retryable: false, problem: expect.stringContaining(problem) },
    });
  },
);

test("openai-compatible without a baseUrl is a clear error", async () => {
  const provider = findModelProvider("openai-compatible", null)!;
  await expect(provider.open("m", { timeoutMs: 1 })).rejects.toThrow(/needs baseUrl/);
  expect(findModelProvider("llama3.2", null)).toBeNull();
});
