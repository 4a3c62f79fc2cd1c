import { expect, test } from "vitest";
import { mountAmplifier } from "../support/amplifier.ts";

test("limits of injections are the module's own, else the session's, else none", async () => {
  const { coordinator, host } = await mountAmplifier();
  expect([coordinator.injection_size_limit, coordinator.injection_budget_per_turn]).toEqual([null, null]);
  host.coordinator.registerCapability("session.injection_limits", { size: 30, tokensPerTurn: "many" });
  expect([coordinator.injection_size_limit, coordinator.injection_budget_per_turn]).toEqual([30, null]);
  host.coordinator.registerCapability("session.injection_limits", { size: 30, tokensPerTurn: 8 });
  expect([coordinator.injection_size_limit, coordinator.injection_budget_per_turn]).toEqual([30, 8]);
  coordinator.injection_size_limit = 5;
  coordinator.injection_budget_per_turn = 4;
  expect([coordinator.injection_size_limit, coordinator.injection_budget_per_turn]).toEqual([5, 4]);
  coordinator.injection_size_limit = null;
  expect(coordinator.injection_size_limit).toBe(30);
});

test("a budget of injections is for one turn", async () => {
  const { coordinator, lines } = await mountAmplifier();
  const warned = () =>
    lines.filter(({ level }) => level === "warn").map(({ fields, message }) => [fields, message]);
  coordinator.injection_budget_per_turn = 3;
  const inject = (text: string) => coordinator.process_hook_result({ context_injection: text }, "e", "h");
  await inject("x".repeat(12));
  expect(warned()).toEqual([]);
  await inject("x");
  expect(warned()).toEqual([[{ hook: "h", tokens: 4, budget: 3 }, "hooks inject more than their budget"]]);
  coordinator.reset_turn();
  await inject("x".repeat(11));
  expect(warned()).toHaveLength(1);
});

test("what a hook asks is put to the approval system with its options, time and default", async () => {
  const asked: unknown[][] = [];
  const { coordinator } = await mountAmplifier();
  let answer: unknown = "no way";
  coordinator.approval_system = {
    request_approval: async (...given: unknown[]) => {
      asked.push(given);
      return answer;
    },
  };
  const ask = (more: object = {}) =>
    coordinator.process_hook_result({ action: "ask_user", ...more }, "e", "h");

  expect(await ask()).toEqual({ action: "deny", reason: "denied: no way" });
  answer = " Allow always ";
  expect(
    await ask({
      approval_prompt: "Send?",
      approval_options: ["Allow"],
      approval_timeout: 9,
      approval_default: "allow",
    }),
  ).toEqual({ action: "continue" });
  expect(asked).toEqual([
    ['allow what hook "h" asks about?', ["Allow", "Deny"], 300, "deny"],
    ["Send?", ["Allow"], 9, "allow"],
  ]);
  answer = "n".repeat(300);
  expect(await ask()).toEqual({ action: "deny", reason: `denied: ${"n".repeat(200)}` });
  coordinator.approval_system = { request_approval: "no function" };
  expect(await ask()).toEqual({ action: "deny", reason: "there is no approval system to ask" });
  expect(await coordinator.process_hook_result({ action: "modify", data: {} }, "e", "h")).toEqual({
    action: "modify",
    data: {},
  });
});

test("an injected text goes to the context with its role and place, unless it is for one request", async () => {
  const messages: unknown[] = [];
  const { coordinator, host } = await mountAmplifier();
  const inject = (more: object) =>
    coordinator.process_hook_result({ context_injection: "t", ...more }, "tool:post", "h");
  await inject({});
  host.coordinator.mount("context", { add_message: (one: unknown) => void messages.push(one) });
  await inject({ context_injection_role: "user" });
  await inject({ ephemeral: true });
  await inject({ context_injection: "" });
  const metadata = {
    source: "hook",
    hook_name: "h",
    event: "tool:post",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
  };
  expect(messages).toEqual([{ role: "user", content: "t", metadata }]);

  coordinator.injection_size_limit = 3;
  await inject({ context_injection: "abc" });
  await expect(inject({ context_injection: "abcd" })).rejects.toMatchObject({
    details: { option: "injection_size_limit", problem: 'hook "h" injects 4 characters, more than 3' },
  });
});

test("a message of a hook is logged with its level and source, and not where the hook suppresses it", async () => {
  const { coordinator, lines } = await mountAmplifier();
  const show = (more: object) =>
    coordinator.process_hook_result({ user_message: "hello", ...more }, "e", "h");
  await show({});
  await show({ user_message_level: "warning", user_message_source: "guard" });
  await show({ suppress_output: true });

  expect(lines).toEqual([
    { level: "info", fields: { hook: "h", level: "info", source: "h" }, message: "hello" },
    { level: "info", fields: { hook: "h", level: "warning", source: "guard" }, message: "hello" },
  ]);
});
