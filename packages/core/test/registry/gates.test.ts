import { expect, test } from "vitest";
import { silentLogger, type HookResult } from "../../src/index.ts";
import { askGates } from "../../src/registry/gates.ts";
import type { GateEntry } from "../../src/registry/registry.ts";
import { createFakeClock } from "../fake-clock.ts";

/** Asks gates that answer so, and returns what came of it and what was logged. */
async function ask(...answers: readonly unknown[]) {
  const logged: unknown[] = [];
  const write = (level: string) => (fields: object, text: string) => void logged.push([level, fields, text]);
  const logger = { ...silentLogger, error: write("error"), warn: write("warn"), info: write("info") };
  const gates = answers.map((answer, at) => ({
    name: `gate ${at}`,
    owner: "acme",
    event: "tool:pre",
    timeoutMs: 5_000,
    handler: typeof answer === "function" ? answer : () => answer,
  }));
  const host = { clock: createFakeClock(), logger } as never;
  const verdict = await askGates(host, gates as unknown as readonly GateEntry[], "tool:pre", { n: 1 });
  return { verdict, logged };
}

test("gates that do not answer decide nothing", async () => {
  expect((await ask(undefined, undefined)).verdict).toBeNull();
  expect((await ask()).verdict).toBeNull();
  expect((await ask(null, { action: "continue" }, {})).verdict).toEqual({
    data: { n: 1 },
    modified: false,
    denied: null,
    ask: null,
    injections: null,
    suppressed: false,
  });
});

test.each([
  ["yes", "it answered with a value of type string"],
  [7, "it answered with a value of type number"],
  [{ action: "allow" }, "it answered with an unknown action"],
  [{ action: "modify" }, "it answered modify without data"],
  [{ action: "modify", data: null }, "it answered modify without data"],
  [{ action: "inject_context" }, "it answered inject_context without a text"],
  [{ reason: 1 }, "its reason is not a text"],
  [{ userMessage: {} }, "its userMessage is not a text"],
  [{ userMessageSource: 1 }, "its userMessageSource is not a text"],
  [{ contextInjection: [] }, "its contextInjection is not a text"],
  [{ approvalPrompt: 1 }, "its approvalPrompt is not a text"],
])("the answer %j denies, and the log says what is wrong with it", async (answer, problem) => {
  for (const given of [answer, Promise.resolve(answer)]) {
    const { verdict, logged } = await ask(given, () => expect.unreachable());

    expect(verdict?.denied).toEqual({ gate: "gate 0", reason: `gate "gate 0" could not decide: ${problem}` });
    expect(logged).toEqual([
      ["error", { gate: "gate 0", owner: "acme" }, `a gate returned an invalid answer: ${problem}`],
    ]);
  }
});

test("a gate that throws has denied, and only the log has its error", async () => {
  const fail = () => {
    throw new Error("the secret file is gone");
  };
  for (const given of [fail, () => Promise.reject(new Error("the secret file is gone"))]) {
    const { verdict, logged } = await ask(given);
    expect(verdict?.denied).toEqual({ gate: "gate 0", reason: 'gate "gate 0" could not decide: it failed' });
    expect(logged).toMatchObject([
      [
        "error",
        { gate: "gate 0", owner: "acme", event: "tool:pre" },
        "a gate failed: the secret file is gone",
      ],
    ]);
  }
});

test("texts may be null, as other languages write a text that is absent", async () => {
  const absent = { action: "continue", reason: null, userMessageSource: null, approvalPrompt: null };
  expect((await ask(absent)).verdict?.denied).toBeNull();
});

test("a denial has the gate's own reason, or its name", async () => {
  expect((await ask({ action: "deny", reason: "not on Sundays" })).verdict?.denied).toEqual({
    gate: "gate 0",
    reason: "not on Sundays",
  });
  expect((await ask({}, { action: "deny" })).verdict?.denied).toEqual({
    gate: "gate 1",
    reason: 'gate "gate 1" denied it',
  });
});

test("later gates see what earlier ones modified, and no gate can change it afterwards", async () => {
  const seen: unknown[] = [];
  const look = (_: string, data: object) => void seen.push(data);
  const { verdict } = await ask(
    { action: "modify", data: { n: 2 } },
    look,
    async () => ({ action: "modify", data: { m: 3 } }),
    look,
  );

  expect(seen).toEqual([{ n: 2 }, { n: 2, m: 3 }]);
  expect(verdict).toMatchObject({ data: { n: 2, m: 3 }, modified: true });
  expect(Object.isFrozen(verdict?.data)).toBe(true);
});

test("the first question counts", async () => {
  const first: HookResult = { action: "ask_user", approvalPrompt: "first?" };
  const { verdict } = await ask(first, { action: "ask_user", approvalPrompt: "second?" });
  expect(verdict?.ask).toEqual({ gate: "gate 0", result: first });
});

test("what a gate adds to the conversation says where it is from, and has the defaults of a system message", async () => {
  const { verdict } = await ask(
    { action: "inject_context", contextInjection: "mind the gap" },
    {
      contextInjection: "twice",
      contextInjectionRole: "user",
      ephemeral: true,
      appendToLastToolResult: true,
      suppressOutput: true,
    },
  );
  expect(verdict).toMatchObject({
    suppressed: false,
    injections: [
      {
        text: "mind the gap",
        role: "system",
        ephemeral: false,
        appendToLastToolResult: false,
        source: "gate 0",
      },
      { text: "twice", role: "user", ephemeral: true, appendToLastToolResult: true, source: "gate 1" },
    ],
  });
  const quiet = await ask({ contextInjection: "a", suppressOutput: true }, { contextInjection: "b" });
  expect(quiet.verdict?.suppressed).toBe(true);
});

test("a message for people is logged at its level, cut, and not at all where its gate suppresses its output", async () => {
  const { logged } = await ask(
    { userMessage: "info" },
    { userMessage: "careful", userMessageLevel: "warning", userMessageSource: "budget" },
    { userMessage: "x".repeat(2_001), userMessageLevel: "error" },
    { userMessage: "odd", userMessageLevel: "loud" },
    { userMessage: "quiet", suppressOutput: true },
  );
  expect(logged).toEqual([
    ["info", { gate: "gate 0", source: "gate 0" }, "info"],
    ["warn", { gate: "gate 1", source: "budget" }, "careful"],
    ["error", { gate: "gate 2", source: "gate 2" }, "x".repeat(2_000)],
    ["info", { gate: "gate 3", source: "gate 3" }, "odd"],
  ]);
});

test("an answer of another library's promise is awaited", async () => {
  // oxlint-disable-next-line unicorn/no-thenable -- as promises of other libraries are
  const thenable = {
    then: (resolve: (answer: unknown) => void) => resolve({ action: "deny", reason: "late" }),
  };
  expect((await ask(thenable)).verdict?.denied).toMatchObject({ reason: "late" });
});

test("members that a gate of Python leaves as None are absent, and an empty list of texts leaves the single one", async () => {
  const nothing = { userMessage: null, contextInjection: null, contextInjections: null };
  const given = await ask(
    nothing,
    { action: "inject_context", contextInjection: "one", contextInjectionRole: null, contextInjections: [] },
    { contextInjections: [{ content: "two", role: null, ephemeral: null, appendToLastToolResult: null }] },
  );
  const plain = { role: "system", ephemeral: false, appendToLastToolResult: false };

  expect(given.logged).toEqual([]);
  expect(given.verdict?.injections).toEqual([
    { text: "one", ...plain, source: "gate 1" },
    { text: "two", ...plain, source: "gate 2" },
  ]);
  expect((await ask({ action: "inject_context", contextInjections: [] })).verdict?.denied?.reason).toContain(
    "it answered inject_context without a text",
  );
});
