import { data, type HookResult } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { amplifierSource, mounting, native, onePlan, opened } from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

test("AMP-N32: a hook's result has these fifteen fields, and these defaults", () => {
  expect(interop.toAmplifierHookResult({ action: "continue" })).toEqual({
    action: "continue",
    data: null,
    reason: null,
    context_injection: null,
    context_injection_role: "system",
    ephemeral: false,
    approval_prompt: null,
    approval_options: null,
    approval_timeout: 300,
    approval_default: "deny",
    suppress_output: false,
    user_message: null,
    user_message_level: "info",
    user_message_source: null,
    append_to_last_tool_result: false,
  });
});

test("AMP-N33: handlers run one after the other, by priority, 0 by default, and then as they were registered", async () => {
  const order: string[] = [];
  Object.assign(globalThis, { ampN33: order });
  const handler = (name: string, priority = "") =>
    `coordinator.hooks.register("tool:pre", async () => {
      globalThis.ampN33.push("begin ${name}");
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
      globalThis.ampN33.push("end ${name}");
    }${priority});`;
  const before = [handler("late", ", 90"), handler("a"), handler("early", ", -1"), handler("b", ", 0")].join(
    "\n",
  );
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource("return {};", before) } });
  await host.call({ name: "probe" });

  expect(order).toEqual(["early", "a", "b", "late"].flatMap((name) => [`begin ${name}`, `end ${name}`]));
});

describe("AMP-N34: of several answers", () => {
  const answers: Record<string, HookResult> = {
    continue: { action: "continue" },
    modify: { action: "modify", data: { seen: "changed" } },
    inject_context: { action: "inject_context", contextInjection: "read this" },
    ask_user: { action: "ask_user", approvalPrompt: "sure?" },
    deny: { action: "deny", reason: "no" },
  };
  const ranks = Object.keys(answers);
  const pairs = ranks.flatMap((one) => ranks.map((other) => [one, other] as const));
  const emit = async (...given: HookResult[]) => {
    const { host } = await opened(onePlan, { m: mounting(native(() => data(1))) });
    for (const answer of given) host.coordinator.hooks.gate("my:event", () => answer);
    return host.coordinator.hooks.emit("my:event", { seen: "first" });
  };

  test.each(pairs)("AMP-N34: %s and then %s: the stronger wins, whichever came first", async (one, other) => {
    const { action, data: seen } = await emit(answers[one]!, answers[other]!);
    const strongest = ranks[Math.max(ranks.indexOf(one), ranks.indexOf(other))];

    expect(action).toBe(strongest === "modify" ? "continue" : strongest);
    if (strongest === "modify") expect(seen).toMatchObject({ seen: "changed" });
  });

  test("AMP-N34: after a denial no other is asked, the first question wins, and changes are chained", async () => {
    const { host } = await opened(onePlan, { m: mounting(native(() => data(1))) });
    const { hooks } = host.coordinator;
    const asked: string[] = [];
    hooks.gate("a:b", (_, { n }) => ({ action: "modify", data: { n: Number(n) + 1 } }));
    hooks.gate("a:b", (_, { n }) => ({ action: "modify", data: { n: Number(n) * 10 } }));
    hooks.gate("c:d", () => ({ action: "ask_user", approvalPrompt: "first?" }));
    hooks.gate("c:d", () => ({ action: "ask_user", approvalPrompt: "second?" }));
    hooks.gate("e:f", () => (asked.push("first"), { action: "deny", reason: "no" }));
    hooks.gate("e:f", () => void asked.push("second"));
    await hooks.emit("e:f");

    expect((await hooks.emit("a:b", { n: 1 })).data).toMatchObject({ n: 20 });
    expect(await hooks.emit("c:d")).toMatchObject({ action: "ask_user", approvalPrompt: "first?" });
    expect(asked).toEqual(["first"]);
  });

  test("AMP-N34: injections are joined by a blank line; role, ephemeral and suppression are the first's, append is either's", async () => {
    const first = { contextInjectionRole: "user", ephemeral: true, suppressOutput: true } as const;
    const second = { contextInjectionRole: "system", ephemeral: false, suppressOutput: false } as const;
    const inject = (contextInjection: string, more: object): HookResult => ({
      action: "inject_context",
      contextInjection,
      ...more,
    });

    expect(
      await emit(inject("one", first), inject("two", { ...second, appendToLastToolResult: true })),
    ).toMatchObject({
      contextInjection: "one\n\ntwo",
      ...first,
      appendToLastToolResult: true,
    });
    expect(await emit(inject("one", second), inject("two", first))).toMatchObject({
      contextInjection: "one\n\ntwo",
      ...second,
    });
  });
});

test("AMP-N38: session_id, parent_id and default fields are merged below an event's own data; the timestamp is the host's, whatever is given", async () => {
  const seen: Record<string, unknown>[] = [];
  Object.assign(globalThis, { ampN38: seen });
  const before = `coordinator.hooks.register("my:event", async (_, data) => void globalThis.ampN38.push(data));
  coordinator.hooks.set_default_fields({ shop: "north", door: "front" });`;
  const body = 'await coordinator.hooks.emit("my:event", { shop: "south", timestamp: "never" }); return {};';
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body, before) } });
  await host.call({ name: "probe" }, { sessionId: "s-1" });

  expect(seen).toMatchObject([{ session_id: "s-1", parent_id: null, shop: "south", door: "front" }]);
  expect(seen[0]!["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test("AMP-N51: the payloads of a call's events: names, ids, input and group; the result; the error's type and message", async () => {
  const seen: [string, Record<string, unknown>][] = [];
  Object.assign(globalThis, { ampN51: seen });
  const before = `for (const event of ["tool:pre", "tool:post", "tool:error"])
    coordinator.hooks.register(event, async (name, data) => void globalThis.ampN51.push([name, data]));`;
  const body =
    'if (input.at === "gone") throw new RangeError("no such place"); return { success: true, output: 7 };';
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body, before) } });
  for (const at of ["here", "gone"])
    await host.call({ id: at, name: "probe", arguments: { at } }, { parallelGroupId: "g" });
  const common = (at: string) => ({
    tool_name: "probe",
    tool_call_id: at,
    tool_input: { at },
    parallel_group_id: "g",
  });

  expect(seen).toMatchObject([
    ["tool:pre", common("here")],
    ["tool:post", { ...common("here"), result: { success: true, output: 7, error: null } }],
    ["tool:pre", common("gone")],
    ["tool:error", { ...common("gone"), error: { type: "RangeError", msg: "no such place" } }],
  ]);
});
