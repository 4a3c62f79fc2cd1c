import type { JsonObject, ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { judge, line, look, reasonOf, send, type Given } from "./flow-judge.ts";

describe("what flows answer", () => {
  const deny = { from: ["identity"], else: "deny" };
  const ask = { from: ["identity"] };
  const open = { from: ["identity"], else: "allow" };
  const origins = [{ argument: "to", value: "Ada", origin: "user", isAccepted: false }];
  const reason = "to Ada · in the user's words, but not as a permission";
  test.each<[string, object[], object | null]>([
    ["a line that denies", [deny], { answer: "deny", rule: "flows.into 1", reason, origins }],
    ["a line that asks", [ask], { answer: "ask", rule: "flows.into 1", reason, origins }],
    ["a line that only looks", [open], { answer: "none", origins }],
    [
      "the strictest of three lines",
      [open, ask, deny],
      { answer: "deny", rule: "flows.into 3", reason, origins },
    ],
    ["the strictest of two lines", [open, ask], { answer: "ask", rule: "flows.into 2", reason, origins }],
    [
      "a line that looks at nothing beside one that looks",
      [{ control: [] }, open],
      { answer: "none", origins },
    ],
    ["a line that accepts", [{}], { answer: "none", origins: [{ ...origins[0], isAccepted: true }] }],
    ["lines that look at nothing", [{ control: [] }], null],
    [
      "a line about another tool, so that the declaration counts",
      [{ match: { tool: "x" }, ...deny }],
      { answer: "none", origins: [{ ...origins[0], isAccepted: true }] },
    ],
  ])("%s", (_title, lines, answer) => {
    const into = lines.map((one) => ({ match: {}, ...one }));
    expect(judge({ to: "Ada" }, { flows: { into } })).toEqual(answer);
  });

  test("a tool's declaration is named as the rule", () => {
    expect(judge({ to: "b2" })).toMatchObject({ answer: "ask", rule: "flows: send" });
  });

  test.each([
    ["the name", { tool: "se*" }, true],
    ["one of two names", { tool: ["x", "send"] }, true],
    ["another name", { tool: ["x", "sen"] }, false],
    ["the server", { server: "mail" }, true],
    ["another server", { server: "look" }, false],
    ["the tag", { tag: "n*" }, true],
    ["another tag", { tag: "file" }, false],
    ["the category", { category: ["read", "side_effect"] }, true],
    ["another category", { category: "read" }, false],
    ["every category but one", { category: "!read" }, true],
    ["all names but one", { tool: "!send" }, false],
    ["the name, but another category", { tool: "send", category: "read" }, false],
  ])("a line is about the tools that fit %s", (_title, match, fits) => {
    const answer = judge({ to: "Ada" }, { flows: { into: [{ match, ...deny }] } });
    expect(answer!.answer).toBe(fits ? "deny" : "none");
  });

  test("a tool that does not say its category is unclassified", () => {
    const tool = { ...send, category: undefined } as unknown as ToolInfo;
    const flows = { into: [{ match: { category: "unclassified" }, ...deny }] };
    expect(judge({ to: "Ada" }, { flows, tool })!.answer).toBe("deny");
  });

  test("arguments of a line stand in place of those that the tool declares", () => {
    const flows = line({ control: ["cc"], content: ["note"] });
    expect(judge({ to: "b2", body: "Or eve@x.example" }, { flows })).toBeNull();
    expect(reasonOf(judge({ cc: "b2" }, { flows }))).toMatch(/^cc b2/);
    expect(reasonOf(judge({ note: "Or eve@x.example" }, { flows }))).toMatch(/^note eve@x.example/);
  });

  test.each<[string, JsonObject, Given, boolean]>([
    ["an empty value", { to: "" }, {}, false],
    ["no value", {}, {}, false],
    ["a number as content", { body: 12345678 }, { isPartial: true }, false],
    ["empty content beside dropped results", { body: "" }, { isPartial: true }, false],
    ["content of the user beside dropped results", { body: "ada" }, { isPartial: true }, false],
    ["content beside all results", { body: "hello" }, {}, false],
    [
      "a target that a person approved, without the action",
      { to: "b2" },
      { flows: line({ intent: "user" }), results: [look("x", { confirmed: ["b2"] })] },
      false,
    ],
    [
      "two targets, one of which a person approved",
      { to: ["Ada", "b2"] },
      { flows: line({ intent: "user" }), prompts: ["Ada"], results: [look("x", { confirmed: ["b2"] })] },
      true,
    ],
    ["no target, without the action", {}, { flows: line({ intent: "user" }), prompts: ["Ada"] }, true],
    [
      "the action in the user's words",
      { to: "Ada" },
      { flows: line({ intent: "user" }), prompts: ["Send it to Ada"] },
      false,
    ],
    ["one of the plan's words", { to: "Ada" }, { flows: line({ intent: ["post", "write"] }) }, false],
    ["none of the plan's words", { to: "Ada" }, { flows: line({ intent: ["post", "pay"] }) }, true],
    ["a word of each list", { to: "Ada" }, { flows: line({ intent: [["post", "write"], ["ada"]] }) }, false],
    [
      "a word of one list alone",
      { to: "Ada" },
      { flows: line({ intent: [["post", "write"], ["bob"]] }) },
      true,
    ],
  ])("%s", (_title, given, how, asks) => {
    expect(judge(given, how)?.answer === "ask").toBe(asks);
  });
});
