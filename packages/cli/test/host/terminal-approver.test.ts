import { PassThrough } from "node:stream";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type Approver,
  type StateStore,
  type Tool,
} from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import type { RuleWriter } from "../../src/host/rule-writer.ts";
import { createTerminalApprover } from "../../src/host/terminal-approver.ts";
import { createScreen } from "../../src/screen/screen.ts";
import { atOnce } from "../support/person.ts";

const keys = { up: "\u001b[A", down: "\u001b[B", enter: "\r", ctrlC: "\u0003" };

/** What the last line of a question begins with when keys count. */
const ready = "└  Press ";

/** Calls a tool that needs confirmation, before a person who presses keys once they count. */
async function callBefore(
  presses: readonly string[],
  context: {
    abortSignal?: AbortSignal;
    onAsked?: () => void;
    store?: StateStore;
    answers?: [string, string][];
    tool?: Tool;
    rules?: RuleWriter;
  } = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const controller = new AbortController();
  const answers = [...(context.answers ?? [])];
  let shown = "";
  let asked = false;
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    const [next] = answers;
    if (next !== undefined && shown.includes(next[0])) {
      answers.shift();
      setImmediate(() => input.write(next[1]));
    }
    if (asked || !shown.includes(ready)) return;
    asked = true;
    context.onAsked?.();
    setImmediate(() => presses.forEach((key) => input.write(key))); // each is a chunk
  });
  const screen = createScreen({ write: (text) => output.write(text) }, {});
  const terminal = { input, output, clock: atOnce };
  const onLeave = () => controller.abort();
  const { store, tool = remove, rules } = context;
  const ask = createTerminalApprover(screen, terminal, onLeave, undefined, undefined, rules);
  const outcome = await call(ask, context.abortSignal ?? controller.signal, tool, store);
  return { outcome, shown, left: controller.signal.aborted };
}

async function call(approver: Approver["ask"], abortSignal: AbortSignal, tool: Tool, store?: StateStore) {
  const host = createHost({ approver, store });
  host.coordinator.mount("tools", tool);
  const given = { path: "a\u202eb\u001b[2J" };
  const outcome = await host.call(
    { name: "remove", arguments: given },
    { userId: "ada", sessionId: "s-1", abortSignal },
  );
  await host.close();
  return outcome;
}

const remove = removeOf("side_effect", "medium");

function removeOf(category: "side_effect" | "delete", consequenceLevel: "medium" | "high") {
  return defineTool({
    name: "remove",
    description: "Removes a file. Use when the user asks for it.",
    schema: z.strictObject({ path: z.string() }),
    category,
    consequenceLevel,
    requiresConfirmation: true,
    execute: ({ path }) => data({ gone: path }),
  });
}

test("FORGE-19: the person at the terminal approves", async () => {
  const { outcome } = await callBefore([keys.down, keys.down, keys.enter]);

  expect(outcome).toMatchObject({ status: "ok" });
});

test("Enter alone denies: that is where the question begins", async () => {
  const { outcome } = await callBefore([keys.enter]);

  expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
});

test("the question shows what would run, on what, for whom and why, with nothing hidden", async () => {
  const { shown } = await callBefore([keys.enter]);

  for (const part of [
    "Remove ",
    "side_effect · medium consequence",
    "for ada",
    "s-1",
    "asks for confirmation",
  ]) {
    expect(shown).toContain(part);
  }
  expect(shown).toContain(String.raw`path  "a\u202eb\u001b[2J"`);
  expect(shown).not.toContain("\u202e");
});

test("leaving the question with Ctrl-C aborts the call", async () => {
  const { outcome, left } = await callBefore([keys.ctrlC]);

  expect(left).toBe(true);
  expect(outcome).toMatchObject({ status: "cancelled" });
});

test("a call that is aborted while it is asked about takes its question back", async () => {
  const controller = new AbortController();
  const { outcome } = await callBefore([], {
    abortSignal: controller.signal,
    onAsked: () => controller.abort(),
  });

  expect(outcome).toMatchObject({ status: "cancelled" });
});

test("C38: with a store the person may approve for always, for the session, or decide later", async () => {
  const { down, enter } = keys;
  const asked = async (...presses: string[]) => {
    const store = createMemoryStore();
    const { outcome } = await callBefore([...presses, enter], { store });
    return { status: outcome.status, always: (await store.approvals.remembered()).map(({ scope }) => scope) };
  };
  const three = [down, down, down];
  expect(await asked(down, down)).toEqual({ status: "ok", always: [] });
  expect(await asked(...three)).toEqual({ status: "ok", always: ["arguments"] });
  expect(await asked(...three, down)).toEqual({ status: "ok", always: ["session"] });
  expect(await asked(...three, down, down)).toEqual({ status: "pending", always: [] });
});

test.each([
  [["y"], "ok", []],
  [["n"], "denied", []],
  [["a"], "ok", ["arguments"]],
  [["s"], "ok", ["session"]],
  [["l"], "pending", []],
  [[keys.down, keys.down, keys.down, "Y"], "ok", []],
  [[keys.up, "n"], "denied", []],
  [[keys.up, keys.up, keys.enter], "pending", []],
  [[keys.up, keys.down, keys.enter], "denied", []],
  [["\u001b[C", "\u001b[C", "n"], "denied", []],
  [["\u001b[C", "\u001b[D", "y"], "ok", []],
])("the keys %j answer the question, wherever the arrows are", async (presses, status, always) => {
  const store = createMemoryStore();
  const { outcome } = await callBefore(presses, { store });

  expect(outcome.status).toBe(status);
  expect((await store.approvals.remembered()).map(({ scope }) => scope)).toEqual(always);
});

test.each([
  ["delete", "medium"],
  ["side_effect", "high"],
] as const)(
  "a tool of category %s and consequence %s is approved by a letter and Enter, and denied by a letter",
  async (category, level) => {
    const tool = removeOf(category, level);
    const end = async (...presses: string[]) =>
      (await callBefore(presses, { tool, store: createMemoryStore() })).outcome.status;
    const letters = ["y", "a", "s"];
    const approved = await Promise.all(letters.map((letter) => end(letter, keys.enter)));
    const letterOnly = await Promise.all(letters.map((letter) => end(letter, "n")));
    const { shown } = await callBefore(["y", keys.enter], { tool });

    expect(approved).toEqual(["ok", "ok", "ok"]);
    expect(letterOnly).toEqual(["denied", "denied", "denied"]);
    expect([await end("n"), await end("l")]).toEqual(["denied", "pending"]);
    expect(shown).toContain("Press Enter: Approve this one call.");
  },
);

test("the key d denies, and asks why", async () => {
  const { outcome, shown } = await callBefore(["d"], { answers: [["Why not?", "too risky\r"]] });

  expect(shown).toContain("Why not?");
  expect(outcome).toMatchObject({
    status: "denied",
    result: { error: expect.stringContaining("too risky") },
  });
});

test("a rule is written after the letter, and for a grave call after Enter too", async () => {
  const end = async (tool: Tool, ...presses: string[]) => {
    let written = 0;
    const rules = { opened() {}, fits: () => true, write: async () => (written++, true) };
    const { outcome, shown } = await callBefore(presses, { tool, rules });
    return {
      status: outcome.status,
      written,
      asksForEnter: shown.includes("Press Enter: Approve, and write"),
    };
  };
  const grave = removeOf("delete", "high");

  expect(await end(remove, "r")).toEqual({ status: "ok", written: 1, asksForEnter: false });
  expect(await end(grave, "r", keys.enter)).toEqual({ status: "ok", written: 1, asksForEnter: true });
  expect(await end(grave, "r", "n")).toEqual({ status: "denied", written: 0, asksForEnter: true });
});
