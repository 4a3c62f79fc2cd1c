import { createHost, silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, mount } from "../../src/index.ts";
import { translateAgents } from "../../src/config/amplifier-session.ts";

const providers = [
  { module: "provider-openai", config: { priority: 20, default_model: "gpt" } },
  { module: "provider-anthropic", config: { priority: 10, default_model: "claude" } },
];
const sessionOf = (agents: object) =>
  config.parse({ session: { raw: true, orchestrator: { module: "loop-streaming" }, providers, agents } })
    .session!;

test.each<[string, object, object, readonly string[], (readonly string[])?]>([
  [
    "a description and an instruction",
    { description: "Builds.", instruction: "You build." },
    { description: "Builds.", instructions: "You build." },
    [],
  ],
  ["its description in meta", { meta: { description: "Builds." } }, { description: "Builds." }, []],
  [
    "its instruction in system",
    { system: { instruction: "You build." } },
    { description: "The agent a.", instructions: "You build." },
    [],
  ],
  [
    "preferences of the plan's providers",
    {
      provider_preferences: [
        { provider: "openai", model: "gpt" },
        { provider: "anthropic", model: "haiku" },
      ],
    },
    { description: "The agent a." },
    [],
    ["openai gpt", "anthropic haiku"],
  ],
  [
    "patterns, which mean the provider's own model where it fits",
    {
      provider_preferences: [
        { provider: "openai", model: "gp[a-z]" },
        { provider: "anthropic", model: "claude-*" },
        { provider: "anthropic" },
      ],
    },
    { description: "The agent a." },
    [],
    ["openai gpt", "anthropic claude"],
  ],
  [
    "preferences of providers that the plan does not have",
    {
      provider_preferences: [
        { provider: "ollama", model: "m" },
        { provider: "openai", model: "other-*" },
      ],
    },
    { description: "The agent a." },
    ["provider_preferences"],
  ],
  [
    "roles",
    { model_role: ["coding"], session: {}, tools: [{ module: "tool-bash" }] },
    { description: "The agent a." },
    ["model_role", "session"],
  ],
])("an agent of an Amplifier plan with %s", (_, given, agent, unused, models = []) => {
  const { preferred, ...rest } = translateAgents(sessionOf({ a: given })).get("a")!;
  expect(rest).toEqual({ agent, unused });
  expect(preferred.map(({ entry, model }) => `${entry.module?.replace("provider-", "")} ${model}`)).toEqual(
    models,
  );
});

test("hooks of one agent are refused: an agent must not lose its guards", () => {
  const { error } = config.safeParse({ session: { agents: { a: { hooks: [{ module: "hooks-guard" }] } } } });
  expect(error?.issues[0]).toMatchObject({ path: ["session", "agents", "a", "hooks"] });
});

test("the agents can be delegated to, and what has no counterpart is in the log", async () => {
  const warnings: unknown[] = [];
  const logger = {
    ...silentLogger,
    child: () => logger,
    warn: (fields: unknown) => void warnings.push(fields),
  };
  const host = createHost({ logger });
  await mount(
    host.coordinator,
    config.parse({ session: sessionOf({ a: { description: "Builds.", model_role: "coding" } }) }),
  );
  expect(host.coordinator.getCapability("session.agents")!()).toEqual([
    { name: "a", description: "Builds." },
  ]);
  expect(warnings).toContainEqual({ agent: "a", unused: ["model_role"] });
  await host.close();
});
