import type { ImportPackage } from "@toolmount/core";
import { describeProviders, findModelProvider } from "@toolmount/interop/internal";
import { describe, expect, test } from "vitest";

/** Packages whose factories note what they are made with, and whose models note what they are asked. */
function packages() {
  const made: unknown[] = [];
  const asked: Record<string, unknown>[] = [];
  const importPackage: ImportPackage = async (module) =>
    new Proxy(
      {},
      {
        get: (_, create) => {
          if (create === "then") return undefined;
          return ({ fetch, ...settings }: Record<string, unknown>) => {
            made.push([module, create, settings, typeof fetch]);
            return (modelId: string) => ({
              specificationVersion: "v4",
              provider: `${String(settings["name"])}.chat`,
              modelId,
              doGenerate: async (options: Record<string, unknown>) => {
                asked.push(options);
                return {
                  content: [],
                  finishReason: { unified: "stop" },
                  usage: { inputTokens: {}, outputTokens: {} },
                };
              },
            });
          };
        },
      },
    );
  return { made, asked, importPackage };
}

const tool = { name: "t", description: "d", schema: { type: "object" }, strict: false };
const request = {
  instructions: "Be brief.",
  items: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
  previousResponseId: null,
  tools: [tool],
  settings: { stream: false, parallelToolCalls: false, store: false },
};

describe("a provider of the AI SDK that a plan names", () => {
  test.each<[string, string, string, object | undefined, object | undefined]>([
    [
      "anthropic",
      "@ai-sdk/anthropic",
      "createAnthropic",
      { anthropic: { disableParallelToolUse: true } },
      { anthropic: { cacheControl: { type: "ephemeral" } } },
    ],
    ["google", "@ai-sdk/google", "createGoogleGenerativeAI", undefined, undefined],
    ["mistral", "@ai-sdk/mistral", "createMistral", { mistral: { parallelToolCalls: false } }, undefined],
    ["groq", "@ai-sdk/groq", "createGroq", { groq: { parallelToolCalls: false } }, undefined],
    ["xai", "@ai-sdk/xai", "createXai", { xai: { parallelToolCalls: false } }, undefined],
  ])(
    "%s is made by its package, and asked in its own words",
    async (name, module, create, oneCall, cache) => {
      const { made, asked, importPackage } = packages();
      const provider = findModelProvider(name, importPackage)!;
      const model = await provider.open("m", { apiKey: "k", timeoutMs: 1_000 });
      const parts: { type: string; what?: string }[] = [];
      for await (const part of model.respond(request, { signal: new AbortController().signal }))
        parts.push(part);

      expect(made).toEqual([[module, create, { name, apiKey: "k", includeUsage: true }, "function"]]);
      expect([model.provider, model.model]).toEqual([name, "m"]);
      expect(asked[0]!["providerOptions"]).toEqual(oneCall);
      expect(asked[0]!["prompt"]).toEqual([
        { role: "system", content: "Be brief.", ...(cache && { providerOptions: cache }) },
        { role: "user", content: [{ type: "text", text: "hi" }], ...(cache && { providerOptions: cache }) },
      ]);
      expect(parts.filter(({ type }) => type === "omitted").map(({ what }) => what)).toEqual(
        oneCall === undefined ? ["parallelToolCalls: false, so an answer may have several calls"] : [],
      );
    },
  );

  test.each([
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ["mistral", "MISTRAL_API_KEY"],
    ["groq", "GROQ_API_KEY"],
    ["xai", "XAI_API_KEY"],
    ["openrouter", "OPENROUTER_API_KEY"],
  ])("%s without a key says where to set it", async (name, variable) => {
    const { importPackage, made } = packages();
    const problem = `no API key for "${name}": set apiKey: \${${variable}} in the plan's agent, or the environment variable ${variable} for a plan without one`;

    await expect(findModelProvider(name, importPackage)!.open("m", { timeoutMs: 1 })).rejects.toMatchObject({
      code: "PROVIDER_FAILED",
      details: { provider: name, model: "m", kind: "configuration", problem },
    });
    expect(made).toEqual([]);
  });

  test("a server that needs its address says so, with an example", async () => {
    await expect(
      findModelProvider("openai-compatible", null)!.open("m", { timeoutMs: 1 }),
    ).rejects.toMatchObject({
      details: {
        provider: "openai-compatible",
        kind: "configuration",
        problem: '"openai-compatible" needs baseUrl: the server\'s URL, such as http://127.0.0.1:8080/v1',
      },
    });
  });

  test("an address that the plan gives goes before the provider's own, and names the server", async () => {
    const { made, importPackage } = packages();
    const place = { apiKey: "k", baseUrl: "https://proxy.example:8443/v1", timeoutMs: 1 };
    const model = await findModelProvider("groq", importPackage)!.open("m", place);

    expect(model.provider).toBe("proxy.example:8443");
    expect(made).toEqual([
      [
        "@ai-sdk/groq",
        "createGroq",
        { name: "groq", baseURL: place.baseUrl, apiKey: "k", includeUsage: true },
        "function",
      ],
    ]);
  });

  test.each<[string, readonly [number, RegExp | string], readonly string[], number, boolean]>([
    ["anthropic", [64, "a-Z_0"], ["application/pdf"], 5, true],
    ["google", [128, "a b"], ["application/pdf"], 20, true],
    ["groq", [40, "a b"], [], 20, false],
    ["xai", [40, "a b"], [], 20, false],
  ])(
    "%s takes ids, files and images as its server does",
    async (name, [longest, sample], files, megabytes, inOutputs) => {
      const { importPackage } = packages();
      const { rules } = await findModelProvider(name, importPackage)!.open("m", {
        apiKey: "k",
        timeoutMs: 1,
      });

      expect([rules!.callId.test("a".repeat(longest)), rules!.callId.test("a".repeat(longest + 1))]).toEqual([
        true,
        false,
      ]);
      expect([rules!.callId.test(String(sample)), rules!.callId.test("")]).toEqual([true, false]);
      expect([rules!.files ?? [], rules!.maxImageBytes, rules!.imagesInOutputs]).toEqual([
        files,
        megabytes * 1_048_576,
        inOutputs,
      ]);
      expect(rules!.images).toContain("image/webp");
      expect(rules!.images.includes("image/gif")).toBe(name !== "google");
    },
  );
});

test("a provider is described whole: what to install, which key, and which address", async () => {
  const rows = await describeProviders(async () => null, { GROQ_API_KEY: "k", XAI_API_KEY: "" });
  const rowOf = (name: string) => rows.find((row) => row.name === name);

  expect(rowOf("groq")).toEqual({
    name: "groq",
    model: "groq:<model>",
    package: "@ai-sdk/groq",
    isInstalled: false,
    problem: null,
    install: "npm install @ai-sdk/groq",
    keyVariable: "GROQ_API_KEY",
    hasKey: true,
    baseUrl: null,
  });
  expect(rowOf("xai")!.hasKey).toBe(false);
  expect(rowOf("llamacpp")).toEqual({
    name: "llamacpp",
    model: "llamacpp:<model>",
    package: "@ai-sdk/openai-compatible",
    isInstalled: true,
    problem: null,
    install: "npm install @ai-sdk/openai-compatible",
    keyVariable: null,
    hasKey: true,
    baseUrl: "http://127.0.0.1:8080/v1",
  });
});
