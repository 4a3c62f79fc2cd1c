import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  createAiSdkModel,
  describeProviders,
  findModelProvider,
  knownProviders,
  listServerModels,
  type AiSdkLanguageModel,
} from "@toolmount/interop";
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

test("the models of a local server are listed by name", async () => {
  const server = createServer((_, outgoing) =>
    outgoing.end(JSON.stringify({ object: "list", data: [{ id: "qwen" }, { id: "llama3.2:3b" }] })),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  expect(await listServerModels(`http://127.0.0.1:${port}/v1`)).toEqual(["llama3.2:3b", "qwen"]);
});

test("openai-compatible without a baseUrl is a clear error", async () => {
  const provider = findModelProvider("openai-compatible", null)!;
  await expect(provider.open("m", { timeoutMs: 1 })).rejects.toThrow(/needs baseUrl/);
  expect(findModelProvider("llama3.2", null)).toBeNull();
});
