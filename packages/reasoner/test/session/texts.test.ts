import type { Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import type { Item } from "../../src/provider/items.ts";
import { canBeCleared, isCleared, withCleared } from "../../src/session/cleared.ts";
import { inherited } from "../../src/session/inherited.ts";
import { pastCallsOf } from "../../src/session/past-calls.ts";
import { createView } from "../../src/session/view.ts";

const call = (id: string, name = "look", given = "{}"): Item => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: given,
});
const output = (id: string, given: Json, type = "function_call_output"): Item => ({
  type,
  call_id: id,
  output: given,
});
const said = (role: string, content: string): Item => ({ type: "message", role, content });

describe("a result that is cleared", () => {
  test.each<[string, Item, boolean]>([
    ["a text of 1200 characters", output("a", "x".repeat(1_200)), false],
    ["a text of 1201 characters", output("a", "x".repeat(1_201)), true],
    ["the text of a custom tool", output("a", "x".repeat(1_201), "custom_tool_call_output"), true],
    [
      "several texts, counted with the breaks between them",
      output("a", [
        { type: "input_text", text: "x".repeat(600) },
        { type: "input_text", text: "x".repeat(600) },
      ]),
      true,
    ],
    [
      "several short texts",
      output("a", [
        { type: "input_text", text: "x" },
        { type: "input_text", text: "y" },
      ]),
      false,
    ],
    ["an image", output("a", [{ type: "input_image", image_url: "x" }]), true],
    ["a list with what is no part", output("a", ["x", 1]), false],
    ["nothing", output("a", null), false],
    ["one that was cleared before", output("a", `[cleared to make room: ${"x".repeat(2_000)}`), false],
    ["a message", said("user", "x".repeat(2_000)), false],
  ])("%s: it is worth it is %s", (_title, item, isWorth) => {
    expect(canBeCleared(item)).toBe(isWorth);
  });

  test("keeps its beginning, and says how the rest can be read", () => {
    const items = [
      call("a"),
      output("a", "x".repeat(2_000)),
      output("b", "y".repeat(2_000)),
      said("user", "hi"),
    ];
    const [, first, second, last] = withCleared(items, ["a"]);

    expect(first!["output"]).toBe(
      `${"x".repeat(400)}\n[cleared to make room: this result of look, call a, had 2000 characters; call look again if you need the rest]`,
    );
    expect([second, last]).toEqual(items.slice(2));
    expect([first, second, last].map((item) => isCleared(item!))).toEqual([true, false, false]);
    expect(isCleared(said("user", "[cleared to make room:"))).toBe(false);
    expect(withCleared(items, ["b"])[2]!["output"]).toMatch(/this result of the tool, call b, had 2000/);
  });

  test("names the parts of it that are no text, and cuts no character in two", () => {
    const parts = output("a", [{ type: "input_text", text: "one" }, { type: "input_image" }]);
    const cut = output("a", `${"x".repeat(399)}😀`);

    expect(withCleared([call("a"), parts], ["a"])[1]!["output"]).toMatch(
      /^one\n\(input_image\)\n\[cleared to make room: this result of look, call a, had 17 characters/,
    );
    expect(withCleared([call("a"), cut], ["a"])[1]!["output"]).toMatch(/^x{399}\ufffd\n/);
  });
});

describe("what a sub-agent inherits of its parent", () => {
  const view = {
    ...createView(),
    items: [
      said("user", "first"),
      said("assistant", "one"),
      said("user", "second"),
      call("a", "look"),
      output("a", "seen"),
      call("b", "delegate"),
      output("b", [{ type: "input_text", text: "done" }]),
      output("c", "lost"),
      said("developer", "a note"),
    ],
  };
  const read = (...given: [Parameters<typeof inherited>[1], Parameters<typeof inherited>[2]]) =>
    (inherited(view, ...given, new Set(["delegate"]))?.["content"] as string | undefined)?.split("\n");
  const delegated = 'result of delegate: [{"type":"input_text","text":"done"}]';

  test.each<[Parameters<typeof inherited>[1], Parameters<typeof inherited>[2], readonly string[]]>([
    ["all", "conversation", ["user: first", "assistant: one", "user: second"]],
    [{ turns: 1 }, "conversation", ["user: second"]],
    [{ turns: 2 }, "conversation", ["user: first", "assistant: one", "user: second"]],
    [{ turns: 9 }, "conversation", ["user: first", "assistant: one", "user: second"]],
    [{ turns: 1 }, "agents", ["user: second", delegated]],
    [{ turns: 1 }, "full", ["user: second", "result of look: seen", delegated, "result of : lost"]],
  ])("%j of the scope %s", (inherit, scope, lines) => {
    expect(read(inherit, scope)).toEqual([
      "[BEGIN PARENT CONVERSATION]",
      ...lines,
      "[END PARENT CONVERSATION]",
    ]);
  });

  test("is nothing where nothing is asked for, or was said", () => {
    expect(read(undefined, "full")).toBeUndefined();
    expect(read({ turns: 0 }, "full")).toBeUndefined();
    expect(inherited(createView(), "all", "full", new Set())).toBeNull();
  });

  test("cuts each message", () => {
    const long = { ...createView(), items: [said("user", "x".repeat(3_000))] };
    expect(inherited(long, "all", "full", new Set())!["content"]).toContain(`\nuser: ${"x".repeat(2_000)}\n`);
  });
});

describe("the calls of a log", () => {
  const usage = { requests: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 };
  const answer = (...items: Item[]) =>
    ({ kind: "answer", items, responseId: null, usage, inputTokens: 0 }) as const;
  const begin = { kind: "begin", turnId: "t", traceparent: "", prompt: "go" } as const;
  const ended = (id: string, given: Json, status = "ok") =>
    ({ kind: "output", callId: id, item: output(id, given), status }) as const;
  const outputOf = (given: Json) =>
    pastCallsOf([begin, answer(call("a")), ended("a", given)] as never).map((one) => one.output);

  test.each<[Json, Json]>([
    ['{"a":1}', { a: 1 }],
    [" [1] ", [1]],
    ["plain", "plain"],
    ["12", "12"],
    ["{broken", "{broken"],
    ['{"a":1}\nWarning: cut', { a: 1 }],
    ["plain\nWarning: its own word", "plain\nWarning: its own word"],
    [[{ type: "input_text", text: '{"a":1}' }, { type: "input_image" }], { a: 1 }],
    [[], ""],
    [null, ""],
  ])("the output %j is read as %j", (given, read) => {
    expect(outputOf(given)).toEqual([read]);
  });

  test("are those that ended, with their arguments, once each", () => {
    const entries = [
      begin,
      answer(call("a", "look", '{"n":1}'), call("b", "write", "[1]"), call("c")),
      { kind: "waits", callId: "b", ticket: "k", waitsFor: "approval", tool: "write", arguments: {} },
      { kind: "waits", callId: "a", ticket: "k", waitsFor: "client", tool: "look", arguments: {} },
      ended("b", "x", "denied"),
      ended("a", "y"),
      ended("a", "y"),
      ended("z", "y"),
    ];
    const common = { prompts: ["go"], isCopied: false };
    expect(pastCallsOf(entries as never)).toEqual([
      {
        ...common,
        callId: "b",
        tool: "write",
        arguments: null,
        status: "denied",
        isAsked: true,
        output: "x",
      },
      {
        ...common,
        callId: "a",
        tool: "look",
        arguments: { n: 1 },
        status: "ok",
        isAsked: false,
        output: "y",
      },
    ]);
  });

  test("of a copy are those that have an output", () => {
    const items = [call("a"), output("a", "y"), call("b")];
    expect(pastCallsOf([{ kind: "base", items, state: {}, prompts: ["go"] }] as never)).toMatchObject([
      { callId: "a", prompts: ["go"], status: "ok", output: "y", isCopied: true, isAsked: false },
    ]);
  });
});
