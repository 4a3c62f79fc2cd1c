import { createHost, silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, mount, modelVariables, settingsOf } from "../../src/index.ts";
import { rankedSettings } from "../../src/config/plan-settings.ts";

const session = { orchestrator: { module: "loop-streaming" }, context: { module: "context-simple" } };

const planOf = (...providers: readonly object[]) => config.parse({ session: { ...session, providers } });

test.each([
  ["provider-anthropic", {}, { model: "anthropic:m" }],
  ["provider-anthropic", { base_url: "https://a.example" }, { baseUrl: "https://a.example/v1" }],
  ["provider-anthropic", { base_url: "http://127.0.0.1:1/v1" }, { baseUrl: "http://127.0.0.1:1/v1" }],
  ["amplifier-module-provider-anthropic", {}, { model: "anthropic:m" }],
  ["provider-gemini", {}, { model: "google:m" }],
  ["provider-gemini", { base_url: "https://g.example/" }, { baseUrl: "https://g.example/v1beta" }],
  ["provider-google", {}, { model: "google:m" }],
  [
    "provider-ollama",
    { host: "http://127.0.0.1:9" },
    { model: "ollama:m", baseUrl: "http://127.0.0.1:9/v1" },
  ],
  ["provider-ollama", { default_model: "mistral:7b" }, { model: "ollama:mistral:7b" }],
  ["provider-vllm", { base_url: "http://v.example/v1" }, { model: "vllm:m", baseUrl: "http://v.example/v1" }],
  ["provider-chat-completions", {}, { model: "openai-compatible:m" }],
  ["provider-mistral", {}, { model: "mistral:m" }],
  ["provider-openai", {}, { model: "m" }],
  ["provider-openai", { base_url: "http://o.example/v1" }, { model: "m", baseUrl: "http://o.example/v1" }],
  ["provider-openai", { default_model: "ollama:x" }, { model: "openai:ollama:x" }],
])("an Amplifier plan with %s and %j asks that provider", (module, own, expected) => {
  const plan = planOf({ module, config: { default_model: "m", api_key: "k", ...own } });
  expect(settingsOf(plan)).toMatchObject({ apiKey: "k", ...expected });
});

const models = ["gpt-5", "openai:gpt-5", "anthropic:c", "google:g", "ollama:llama3:8b", "mistral:m"];

test.each(["anthropic", "openai", "gemini", "ollama", "mistral"])(
  "the key of provider-%s reaches no other provider, whichever model the orchestrator names",
  (name) => {
    const entry = { module: `provider-${name}`, config: { default_model: "m", api_key: "secret" } };
    const own = modelVariables(settingsOf(planOf(entry)).model).provider;
    for (const model of models)
      for (const parts of [{ orchestrator: { module: "loop-basic", config: { model } } }, null]) {
        const whole = { ...parts, providers: [entry] };
        const settings = settingsOf(config.parse({ ...(parts === null && { model }), session: whole }));
        expect(settings.apiKey).toBe(modelVariables(settings.model).provider === own ? "secret" : undefined);
      }
  },
);

test.each([
  "provider-azure-openai",
  "provider-github-copilot",
  "provider-mock",
  "provider-",
  "anthropic-provider",
])("an Amplifier plan whose provider is %s is refused by that name, before anything is asked", (module) => {
  const providers = [{ module, config: { default_model: "m", api_key: "k" } }];
  const { error } = config.safeParse({ session: { ...session, providers } });
  expect(error?.issues).toMatchObject([{ path: ["session", "providers", 0, "module"] }]);
  expect(error?.issues[0]?.message).toContain(`"${module}"`);
});

test("of several providers, the one with the lowest priority number is first, and a warning names those without a counterpart", async () => {
  const warned: object[] = [];
  const logger = { ...silentLogger, warn: (about: object | string) => void warned.push(Object(about)) };
  const host = createHost({ logger: { ...logger, child: () => ({ ...silentLogger, ...logger }) } });
  const plan = planOf(
    { module: "provider-unknown", config: { default_model: "u" } },
    { module: "provider-openai", id: "fast", config: { default_model: "o", priority: 2 } },
    { module: "provider-anthropic", config: { default_model: "c", priority: 1 } },
  );
  await mount(host.coordinator, plan);
  await host.close();

  expect(settingsOf(plan).model).toBe("anthropic:c");
  expect(rankedSettings(plan).map(({ model }) => model)).toEqual(["anthropic:c", "o"]);
  expect(warned).toEqual([{ others: ["provider-unknown"] }]);
});
