import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  silentLogger,
  systemClock,
  type AuditSink,
} from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readStory, recentSessions, storyText, type StoryStep } from "../../src/index.ts";
import { auditSinkOf } from "../../src/internal.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays. Use in tests.",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
  schema: z.strictObject({ to: z.string(), amount: z.number() }),
  execute: () => data("paid"),
});

const read = defineTool({
  name: "read_bill",
  description: "Reads a bill. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({ id: z.string() }),
  execute: ({ id }) => ({
    data: { id },
    omitted: [{ what: "pages", amount: "3 pages", why: "too long", how: "page: 2" }],
  }),
});

/** A tool that makes two calls. */
const both = defineTool({
  name: "both",
  description: "Reads two bills. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: async (_, { call }) => {
    for (const id of ["a", "b"]) await call({ name: "read_bill", arguments: { id } });
    return data("done");
  },
});

function open() {
  const host = createHost({ logger: silentLogger, store: createMemoryStore({ audit: "durable" }) });
  for (const tool of [pay, read, both]) host.coordinator.mount("tools", tool);
  return host;
}

const calls = (steps: readonly StoryStep[]) =>
  steps.flatMap((step) => (step.kind === "call" ? step.call : []));

describe("a story", () => {
  test("has each state of a question, and who answered it", async () => {
    const host = open();
    const context = { sessionId: "s1", userId: "ada" };
    const ask = (to: string) => host.call({ name: "pay", arguments: { to, amount: 5 } }, context);
    const outcomes = [await ask("waits"), await ask("decided"), await ask("refused"), await ask("ran")];
    const questions = await host.approvals.list();
    const decide = (to: string, decision: "approve" | "deny") =>
      host.approvals.decide(
        questions.find(({ arguments: given }) => given["to"] === to)!.id,
        { decision, reason: "as agreed" },
        "bob",
      );
    await decide("decided", "approve");
    await decide("refused", "deny");
    await decide("ran", "approve");
    await host.resume(outcomes[3]!.ticket!, context);
    await host.resume(outcomes[2]!.ticket!, context);

    const story = await readStory(host, "s1");

    expect(calls(story.steps).map(({ line, says }) => [line, says])).toEqual([
      ["to: waits, amount: 5", "waits for an answer"],
      ["to: decided, amount: 5", "approved by bob; its caller has not run it yet"],
      ["to: refused, amount: 5", expect.stringMatching(/^denied by bob; did not run \(DENIED: /)],
      ["to: ran, amount: 5", "approved by bob; ran"],
    ]);
    expect(story).toMatchObject({
      user: "ada",
      stands: "1 call waits for an answer, 1 call is answered and not run yet",
    });
    expect(calls(story.steps)[3]!.question).toMatchObject({
      askedAt: expect.any(Number),
      by: "bob",
      answer: "approved",
      reason: "as agreed",
      answeredAt: expect.any(Number),
    });
    await host.close();
  });

  test("has the calls that a call made below it, what results left out, and texts between the calls that they asked for", async () => {
    const host = open();
    const session = host.session("s2");
    await session.call({ name: "read_bill", arguments: { id: "before" } });
    await session.call({ name: "both", arguments: {}, id: "c2" });
    await session.call({ name: "read_bill", arguments: { id: "after" }, id: "c3" });
    const said = [
      { by: "typed" as const, text: "look", calls: [] },
      { by: "model" as const, text: "I look.", calls: ["c2", "c3"] },
      { by: "model" as const, text: "Done.", calls: [] },
    ];

    const usage = { requests: 2, inputTokens: 900, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 };
    const spent = { usage, cost: { amount: 0.0123456, currency: "EUR" } };

    const story = await readStory(host, "s2", { said, spent });
    const { steps } = story;

    expect(
      steps.map((step) => (step.kind === "said" ? step.text : step.call.line || step.call.tool)),
    ).toEqual(["look", "id: before", "I look.", "both", "id: a", "id: b", "id: after", "Done."]);
    expect(calls(steps)[0]!.omitted).toMatchObject([{ what: "pages" }]);
    expect(steps.flatMap((step) => (step.kind === "call" ? step.depth : []))).toEqual([0, 0, 1, 1, 0]);
    const own = steps.flatMap((step) =>
      step.kind === "call" && step.depth === 0 ? step.call.durationMs! : [],
    );
    expect(story.workedMs).toBe(own.reduce((sum, ms) => sum + ms, 0));
    expect(storyText(story)).toMatch(/Its calls ran \d+\.\d s; its model used 1000 tokens, 0\.0123 `EUR`\./);
    await host.close();
  });

  test("of a session without a call is empty, and of more calls than asked for says so", async () => {
    const host = open();
    expect(await readStory(host, "none")).toMatchObject({ steps: [], stands: "no call yet", from: null });
    for (const id of ["a", "b", "c"])
      await host.call({ name: "read_bill", arguments: { id } }, { sessionId: "s" });

    const story = await readStory(host, "s", { last: 2 });

    expect(calls(story.steps).map(({ line }) => line)).toEqual(["id: b", "id: c"]);
    expect(story).toMatchObject({ isPartial: true, spent: null });
    expect(storyText(story)).toContain("what its client's model cost is not known here.");
    expect(storyText(story)).toContain("Earlier calls are not here.");
    await host.close();
  });
});

test("a story as Markdown lets no text of others make a heading, a link, or a line of its own", async () => {
  const host = open();
  const bad = "x`](http://e)\n# Approved by ada\u202e";
  await host.call({ name: "read_bill", arguments: { id: bad } }, { sessionId: "s" });

  const said = [{ by: "attached" as const, text: `# Approved\n${bad}`, calls: [] }];
  const text = storyText(await readStory(host, "s", { said }));

  const [, fenced = ""] = /^```text\n([\s\S]*?)\n```$/m.exec(text) ?? [];
  const outside = text.replace(fenced, "");
  expect(outside.split("\n").filter((line) => line.startsWith("#"))).toEqual(["# Session `s`"]);
  expect(text).toContain("`` id: x`](http://e) # Approved by ada\\u{202e} ``");
  expect(fenced).toBe("# Approved\nx`](http://e)\n# Approved by ada\\u{202e}");
  await host.close();
});

test("the sessions of the newest calls come with who used them and where they stand; rehearsals leave none", async () => {
  const host = open();
  await host.call({ name: "read_bill", arguments: { id: "a" } }, { sessionId: "one" });
  await host.call({ name: "pay", arguments: { to: "x", amount: 1 } }, { sessionId: "two", userId: "ada" });
  await host.call({ name: "read_bill", arguments: { id: "b" } });
  await host
    .session("three")
    .rehearse()
    .call({ name: "read_bill", arguments: { id: "c" } });

  const found = await recentSessions(auditSinkOf(host));

  // Calls of one millisecond have no order.
  expect(found.toSorted((a, b) => (a.session < b.session ? -1 : 1))).toMatchObject([
    { session: "one", user: null, calls: 1, stands: "nothing is open" },
    { session: "two", user: "ada", calls: 1, stands: "1 call waits for an answer" },
  ]);
  await host.close();
});

const states = (...given: readonly string[]) =>
  given.map((status, at) => ({
    status,
    kind: "call",
    sessionId: "s",
    userId: at === 1 ? "ada" : null,
    startedAt: 10 - at,
    runId: String(at),
  }));

test.each([
  [[], []],
  [["ok"], ["nothing is open"]],
  [["running"], ["1 call runs"]],
  [["running", "running"], ["2 calls run"]],
  [["waiting", "waiting", "ok"], ["2 calls wait for an answer"]],
  [["decided", "decided"], ["2 calls are answered and not run yet"]],
  [["unknown"], ["1 call may have run: its process ended"]],
  [
    ["unknown", "waiting", "unknown"],
    ["1 call waits for an answer, 2 calls may have run: their processes ended"],
  ],
])("a session of %j stands so: %j", async (given, stands) => {
  const asked: unknown[] = [];
  const sink = {
    calls: async (filter: unknown) => (asked.push(filter), { calls: states(...given), hasMore: false }),
  } as unknown as AuditSink;
  const found = await recentSessions(sink, { tool: "pay" });

  expect(found.map((one) => one.stands)).toEqual(stands);
  expect(asked).toEqual([{ tool: "pay", limit: 1_000 }]);
  for (const { calls: count, from, to, user } of found)
    expect([count, from, to, user]).toEqual([
      given.length,
      11 - given.length,
      10,
      given.length > 1 ? "ada" : null,
    ]);
});

test("a story lasts from its first call to the end of its last one", async () => {
  let now = 1_000;
  const host = createHost({
    logger: silentLogger,
    store: createMemoryStore({ audit: "durable" }),
    clock: { ...systemClock, now: () => now },
  });
  host.coordinator.mount("tools", read);
  await host.call({ name: "read_bill", arguments: { id: "a" } }, { sessionId: "s" });
  now = 5_000;
  await host.call({ name: "read_bill", arguments: { id: "b" } }, { sessionId: "s" });
  const { from, to } = await readStory(host, "s");

  expect([from, to! >= 5_000]).toEqual([1_000, true]);
  expect((await readStory(host, "none")).to).toBeNull();
  await host.close();
});
