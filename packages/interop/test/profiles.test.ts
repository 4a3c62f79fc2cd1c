import type { ModuleSubject, Profile, ToolSubject } from "@toolmount/core/validation";
import { expect, test } from "vitest";
import { amplifierProfile } from "../src/amplifier/profile.ts";
import { aptixProfile } from "../src/aptix/profile.ts";
import { forgeProfile } from "../src/forge/profile.ts";

const profiles: readonly Profile[] = [amplifierProfile, aptixProfile, forgeProfile];

test.each(profiles.map((profile) => [profile.name, profile] as const))(
  "each rule of %s is an error or a warning, with a reason and a way to write it, and has an id of its own",
  (_, { moduleRules = [], toolRules = [] }) => {
    const rules = [...moduleRules, ...toolRules];
    expect(rules.length).toBeGreaterThan(3);
    for (const { id, severity, why, fix } of rules) {
      expect(["error", "warning"], id).toContain(severity);
      expect(why.length, id).toBeGreaterThan(10);
      expect(fix.length, id).toBeGreaterThan(5);
    }
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  },
);

/** The problems that a rule finds. */
async function problems(rules: Profile["toolRules"] | Profile["moduleRules"], id: string, subject: object) {
  const rule = (rules ?? []).find((each) => each.id === id)!;
  const found = [...(await rule.check(subject as never))];
  return found.map(({ problem }) => problem);
}

const info = { name: "t", inputSchema: { type: "object", properties: {} } };
const subjectOf = (thing: unknown, more: object = {}) =>
  ({
    thing,
    name: "t",
    info,
    refused: null,
    refusedBy: null,
    calls: [],
    saysOmissions: true,
    sample: null,
    isHarmless: true,
    ...more,
  }) as unknown as ToolSubject;
const moduleOf = (exports: object, isSynchronous = false) =>
  ({ exports, isSynchronous }) as unknown as ModuleSubject;

test.each<[string, unknown, boolean, string[]]>([
  ["async with two parameters", async (_c: unknown, _d: unknown) => undefined, false, []],
  ["with a default for the second", async (_c: unknown, _d = {}) => undefined, false, []],
  ["with one parameter", async (_c: unknown) => undefined, false, ["it takes fewer than two parameters"]],
  ["without a parameter", async () => undefined, false, ["it takes fewer than two parameters"]],
  ["that is not async", (_c: unknown, _d: unknown) => undefined, true, ["it is not async"]],
  ["that takes the rest", async (..._all: unknown[]) => undefined, false, []],
  [
    "that takes a pattern with commas",
    async ({ a, b }: { a: 1; b: 2 }) => [a, b],
    false,
    ["it takes fewer than two parameters"],
  ],
  ["that is no function", 3, false, []],
])("a mount %s", async (_, mount, isSynchronous, expected) => {
  expect(
    await problems(amplifierProfile.moduleRules, "mount_signature", moduleOf({ mount }, isSynchronous)),
  ).toEqual(expected);
});

test.each<[string, unknown, string[]]>([
  ["absent", undefined, []],
  ["async with the coordinator", async (_c: unknown) => undefined, []],
  ["not async", (_c: unknown) => undefined, ["it is not an async function"]],
  ["without a parameter", async () => undefined, ["it takes no coordinator"]],
])("AMP-N26: an on_session_ready that is %s", async (_, ready, expected) => {
  const found = await problems(
    amplifierProfile.moduleRules,
    "on_session_ready_async",
    moduleOf({ on_session_ready: ready }),
  );
  expect(found).toEqual(expected);
});

test.each<[string, object, string, string | undefined]>([
  ["tool_description", { description: "Does it." }, "ok", undefined],
  ["tool_description", { description: " " }, "ok", "it is empty, or no text"],
  ["tool_description", {}, "ok", "it is empty, or no text"],
  ["tool_description", {}, "refused", undefined],
  ["input_schema_present", { input_schema: { type: "object" } }, "ok", undefined],
  ["input_schema_present", {}, "ok", "there is none"],
  ["input_schema_present", {}, "refused", undefined],
  ["empty_input", { execute: async () => ({ success: false }) }, "ok", undefined],
  ["empty_input", { execute: async () => "text" }, "ok", "it does not answer {} with a result"],
  [
    "empty_input",
    { execute: async () => Promise.reject(new RangeError("no input")) },
    "ok",
    "it throws on {}: RangeError no input",
  ],
  ["empty_input", { execute: async () => "text" }, "harmful", undefined],
  ["empty_input", { execute: async () => "text" }, "refused", undefined],
])("the rule %s of Amplifier about %j (%s)", async (id, thing, state, expected) => {
  const subject = subjectOf(thing, {
    isHarmless: state !== "harmful",
    ...(state === "refused" && { info: null }),
  });
  expect(await problems(amplifierProfile.toolRules, id, subject)).toEqual(
    expected === undefined ? [] : [expected],
  );
});

/** Aptix's class; a member that is undefined is left out. */
class Aptix {
  static readonly ToolName = "agent_t";
  static readonly ToolUsageMetadata = "agent_t: does it.";
  static GetSchema() {
    return {
      type: "function",
      name: "agent_t",
      description: "Does it.",
      parameters: { type: "object", properties: {}, required: [] },
    };
  }
  get Name() {
    return "agent_t";
  }
}

test("APTIX-1: a class that does not say where it runs is warned about, and one that does is not", async () => {
  class Says extends Aptix {
    get IsToolFullyExecutedOnServer() {
      return false;
    }
  }
  const check = (thing: unknown, more: object = {}) =>
    problems(aptixProfile.toolRules, "server_flag_absent", subjectOf(thing, more));

  expect(await check(Aptix)).toEqual(["it does not say where it runs"]);
  expect(await check(Says)).toEqual([]);
  expect(await check(Aptix, { info: null })).toEqual([]);
});

const described = (description: string) => ({ info: { ...info, description } });

test.each<[string, string, object, object, string | undefined]>([
  ["name_verb_noun", "two words", {}, { name: "get_weather" }, undefined],
  ["name_verb_noun", "one word", {}, { name: "weather" }, "it is a single word"],
  ["name_verb_noun", "a refused tool", {}, { name: "weather", info: null }, undefined],
  ["version_present", "a version", { version: "1.0.0" }, {}, undefined],
  ["version_present", "no version", {}, {}, "there is none"],
  ["version_present", "half a version", { version: "1.0" }, {}, "it is not a semantic version"],
  ["version_present", "a refused tool", {}, { info: null }, undefined],
  ["status_present", "a status", { status: "active" }, {}, undefined],
  ["status_present", "no status", {}, {}, "there is none"],
  ["status_present", "a refused tool", {}, { info: null }, undefined],
  ["description_contract", "what and when", {}, described("Gets it. Use when asked."), undefined],
  [
    "description_contract",
    "three sentences",
    {},
    described("Gets it. Use when asked. Not for others."),
    undefined,
  ],
  [
    "description_contract",
    "four sentences",
    {},
    described("Gets it. Use when asked. Not for others. It is fast."),
    "it has 4 sentences",
  ],
  ["description_contract", "no when", {}, described("Gets it."), "it does not say when to use the tool"],
  ["description_contract", "a refused tool", {}, { info: null }, undefined],
])("the rule %s of Tool-Forge about %s", async (id, _, thing, more, expected) => {
  const found = await problems(forgeProfile.toolRules, id, subjectOf(thing, more));
  expect(found).toEqual(expected === undefined ? [] : [expected]);
});

test.each<
  [string, (params: object, context: { abortSignal: AbortSignal }) => unknown, object, string | undefined]
>([
  [
    "that checks the signal",
    async (_, { abortSignal }) => (abortSignal.aborted ? { error: "Request was cancelled" } : {}),
    {},
    undefined,
  ],
  ["that continues", async () => ({ data: 1 }), {}, "it continues with an aborted signal"],
  ["that answers nothing", async () => undefined, {}, "it continues with an aborted signal"],
  ["that throws", async () => Promise.reject(new Error("no")), {}, "it throws when its signal is aborted"],
  ["that may do harm", async () => ({ data: 1 }), { isHarmless: false }, undefined],
  ["without a sample", async () => ({ data: 1 }), { sample: null }, undefined],
  ["that was refused", async () => ({ data: 1 }), { info: null }, undefined],
])("FORGE-30: a tool %s", async (_, execute, more, expected) => {
  const subject = subjectOf({ execute }, { sample: {}, ...more });
  expect(await problems(forgeProfile.toolRules, "abort_checked_first", subject)).toEqual(
    expected === undefined ? [] : [expected],
  );
});

test.each<[string, unknown, object, string[]]>([
  ["answers", { Successful: false }, {}, []],
  ["answers without an envelope", "text", {}, ["it does not answer with an InvokeResult"]],
  ["throws", new Error("no arguments"), {}, ["it throws: no arguments"]],
  ["may do harm", "text", { isHarmless: false }, []],
  ["was refused", "text", { info: null }, []],
])("APTIX-24: a class that gets blank arguments and %s", async (_, answer, more, expected) => {
  const thing = { ExecuteAsync: async () => (answer instanceof Error ? Promise.reject(answer) : answer) };
  expect(await problems(aptixProfile.toolRules, "blank_arguments", subjectOf(thing, more))).toEqual(expected);
});
