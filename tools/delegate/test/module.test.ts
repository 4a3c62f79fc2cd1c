import { createHost, type Spawn, type SpawnRequest } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { config, mount } from "../src/index.ts";

const child = () => ({
  sessionId: "s-1_explorer",
  agent: "explorer",
  turns: 1,
  turn: { status: "done" as const, text: "found it", iterations: 2, calls: 3 },
});

test.each([
  [
    ["delegate", "bash"],
    ["delegate", "assign", "bash"],
  ],
  [["tool-delegate"], ["tool-delegate", "assign"]],
  [["bash"], ["bash"]],
  [[], []],
])("where the plan leaves out %j, the agent does not get %j", async (exclude, expected) => {
  const asked: SpawnRequest[] = [];
  const spawn: Spawn = async (request) => {
    asked.push(request);
    return child();
  };
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.spawn", spawn);
  host.coordinator.registerCapability("session.agents", () => [{ name: "explorer", description: "looks" }]);
  await mount(host.coordinator, config.parse({ settings: { exclude_tools: exclude } }));
  const { name } = host.tools()[0]!;
  await host.call({ name, arguments: { agent: "explorer", instruction: "x" } });

  expect(asked.map((one) => one.exclude)).toEqual([
    expected
      .map((tool) => (tool === "assign" ? name : tool))
      .filter((tool, at, all) => all.indexOf(tool) === at),
  ]);
});

test("the config of Amplifier's default bundle mounts, and without inheritance an agent gets no conversation", async () => {
  const asked: SpawnRequest[] = [];
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.spawn", async (request) => {
    asked.push(request);
    return child();
  });
  const features = {
    self_delegation: { enabled: true },
    session_resume: { enabled: true },
    context_inheritance: { enabled: false, max_turns: 10 },
    provider_selection: { enabled: true },
  };
  const settings = { exclude_tools: ["tool-delegate"], exclude_hooks: [] };
  await mount(host.coordinator, config.parse({ features, settings }));
  await host.call({ name: "delegate", arguments: { agent: "self", instruction: "x", context_depth: "all" } });
  expect(asked).toMatchObject([{ inherit: undefined }]);
  const { error } = config.safeParse({ settings: { exclude_hooks: ["hooks-guard"] } });
  expect(error?.issues[0]?.message).toContain("hooks hold for sub-agents, too");
});

test("a mounted tool offers its events, and an observer gets them", async () => {
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.spawn", async () => child());
  host.coordinator.registerCapability("session.resume", async () => child());
  await mount(host.coordinator, config.parse({}));
  const seen: string[] = [];
  const events = (await host.coordinator.collectContributions("observability.events")).flat() as string[];
  for (const event of events) host.coordinator.hooks.observe(event, () => void seen.push(event));
  await host.call({ name: "delegate", arguments: { agent: "self", instruction: "x" } });
  await host.call({ name: "delegate", arguments: { session_id: "s-1_explorer", instruction: "x" } });

  expect(events).toEqual([
    "delegate:agent_spawned",
    "delegate:agent_resumed",
    "delegate:agent_completed",
    "delegate:agent_cancelled",
    "delegate:error",
  ]);
  await expect
    .poll(() => seen)
    .toEqual([
      "delegate:agent_spawned",
      "delegate:agent_completed",
      "delegate:agent_resumed",
      "delegate:agent_completed",
    ]);
  expect(await host.call({ name: "delegate", arguments: { agent: "gone", instruction: "x" } })).toMatchObject(
    {
      result: { error: "Agent 'gone' not found. Available: none but self" },
    },
  );
});

test.each([
  { features: { self_delegation: { max_depth: 17 } } },
  { features: { self_delegation: { max_depth: 0 } } },
  { features: { context_inheritance: { max_turns: 101 } } },
  { features: { context_inheritance: { max_turns: 0 } } },
  { settings: { exclude_tools: [""] } },
  { settings: { timeout: 2_000_001 } },
  { settings: { timeout: 0 } },
])("the config %j is refused", (settings) => {
  expect(config.safeParse(settings).success).toBe(false);
});
