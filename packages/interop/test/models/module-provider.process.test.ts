import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { expect, onTestFinished, test } from "vitest";
import { chooseModel, findLocalServers } from "../../src/models/local-servers.ts";
import { createModuleProvider, type ProviderModule } from "../../src/models/module-provider.ts";

const place = { baseUrl: "http://127.0.0.1:1/v1", apiKey: "k", timeoutMs: 1 };

/** Opens the model `m` of a module with these exports. */
async function open(exports: Record<string, unknown>, given: Partial<ProviderModule> = {}) {
  const provider = createModuleProvider({ module: "my-provider", ...given }, async () => exports);
  expect(provider.name).toBe(given.module ?? "my-provider");
  return provider.open("m", place);
}

test("a module that opens models itself gets the place, with the plan's config", async () => {
  const asked: unknown[] = [];
  const own = { respond: () => [], abilities: {} };
  const exports = { open: (...words: unknown[]) => (asked.push(words), own) };

  expect(await open(exports)).toBe(own);
  await open(exports, { config: { region: "x" } });
  expect(asked).toEqual([
    ["m", place],
    ["m", { ...place, config: { region: "x" } }],
  ]);
});

test.each([null, {}, { respond: () => [] }, { abilities: {} }])(
  "a module whose open returns %j is refused",
  async (made) => {
    await expect(open({ open: () => made })).rejects.toThrow(
      "its open() did not return a Model with respond and abilities",
    );
  },
);

test("a factory of the AI SDK is found by the plan's export, or as the only one", async () => {
  const asked: Record<string, unknown>[] = [];
  const create = (options: Record<string, unknown>) => {
    asked.push(options);
    return createOpenAICompatible(options as never);
  };
  const config = { headers: { a: "b" } };

  expect(await open({ createMine: create, other: 1 }, { config })).toMatchObject({
    provider: "my-provider",
    model: "m",
  });
  expect(asked[0]).toMatchObject({ name: "my-provider", baseURL: place.baseUrl, apiKey: "k", ...config });
  expect(await open({ createMine: create, createOther: create }, { export: "createOther" })).toMatchObject({
    model: "m",
  });
  expect(await open({ open: () => null, createMine: create }, { export: "createMine" })).toMatchObject({
    model: "m",
  });
});

test.each<[Record<string, unknown>, Partial<ProviderModule>, string]>([
  [{}, {}, "it has no open and no create… export; name one with provider.export"],
  [
    { createA: () => 1, createB: () => 1 },
    {},
    "it has the exports createA, createB; name one with provider.export",
  ],
  [{ createA: () => 1 }, { export: "createB" }, "it has no export createB"],
  [{ createA: 7 }, {}, "it has the exports createA; name one with provider.export"],
])("a module with the exports %o is refused: %o %s", async (exports, given, problem) => {
  await expect(open(exports, given)).rejects.toThrow(problem);
});

test("a factory that throws is a mistake of the configuration", async () => {
  const createMine = () => {
    throw new Error("no region");
  };

  await expect(open({ createMine })).rejects.toMatchObject({
    code: "PROVIDER_FAILED",
    details: {
      kind: "configuration",
      provider: "my-provider",
      model: "m",
      problem: "my-provider could not open the model: no region",
    },
  });
});

/** A server of models on loopback. `calling` are those that can call tools, as Ollama says it. */
async function serveModels(ids: readonly string[], calling: readonly string[] = []) {
  const list = JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) });
  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== "/api/show") outgoing.end(list);
    incoming.setEncoding("utf8").on("data", (text: string) => {
      const { model } = JSON.parse(text) as { model: string };
      outgoing.end(JSON.stringify({ capabilities: calling.includes(model) ? ["tools"] : ["completion"] }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("local servers are found where their variables say, and one without a model is left out", async () => {
  const [ollama, llama, empty] = [
    await serveModels(["b", "a"]),
    await serveModels(["c"]),
    await serveModels([]),
  ];
  const find = async (env: Record<string, string>) =>
    (await findLocalServers(env)).filter(({ provider }) => provider === "ollama" || provider === "llamacpp");

  expect(
    await find({ OLLAMA_HOST: `:${ollama}`, LLAMA_ARG_HOST: "http://localhost", LLAMA_ARG_PORT: `${llama}` }),
  ).toEqual([
    { provider: "ollama", baseUrl: `http://127.0.0.1:${ollama}/v1`, models: ["a", "b"] },
    { provider: "llamacpp", baseUrl: `http://127.0.0.1:${llama}/v1`, models: ["c"] },
  ]);
  expect(await find({ OLLAMA_HOST: `0.0.0.0:${empty}`, LLAMA_ARG_HOST: "models.example" })).toEqual([]);
  expect(await find({ OLLAMA_HOST: "http://[", LLAMA_ARG_HOST: "10.0.0.1" })).toEqual([]);
});

test("of several models of Ollama the first that calls tools is chosen", async () => {
  const models = ["a", "b", "c"];
  const choose = async (provider: string, calling: readonly string[], given = models) =>
    chooseModel({
      provider,
      baseUrl: `http://127.0.0.1:${await serveModels(given, calling)}/v1`,
      models: given,
    });

  expect(await choose("ollama", ["b", "c"])).toBe("b");
  expect(await choose("ollama", [])).toBe("a");
  expect(await choose("vllm", ["b"])).toBe("a");
  expect(await choose("ollama", [], ["a"])).toBe("a");
});
