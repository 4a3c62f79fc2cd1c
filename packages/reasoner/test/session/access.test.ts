import { createHost, createMemoryStore, type SessionRecord } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { settingsSchema } from "../../src/config/settings.ts";
import { createSessionAccess, ownerOf } from "../../src/session-access.ts";
import { detailsOf, pastTurn, summaryOf } from "../../src/session-summary.ts";
import { createView } from "../../src/session/view.ts";
import type { SessionFacts } from "../../src/session/log.ts";

const facts = (more: Partial<SessionFacts> = {}): SessionFacts => ({
  id: "s",
  parentId: null,
  userId: null,
  agent: null,
  depth: 0,
  allowed: [],
  ...more,
});

function accessOf(settings: object = {}, { hasStore = false } = {}) {
  const host = createHost();
  if (hasStore) host.coordinator.mount("session-store", createMemoryStore().sessions);
  const agents = { helper: { description: "Helps.", tools: ["*"], model: "google:g", maxIterations: 3 } };
  const access = createSessionAccess(host.coordinator, {
    settings: settingsSchema.parse({ model: "m", apiKey: "k", baseUrl: "http://a.example", ...settings }),
    agents,
    now: () => 1,
  });
  return { access, host };
}

describe("a session", () => {
  test("is found, or is not there", async () => {
    const { access } = accessOf();
    await access.create(facts());

    expect((await access.find("s"))?.facts.id).toBe("s");
    expect(await access.find("t")).toBeNull();
    await expect(access.open("t")).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
      details: { session: "t" },
    });
  });

  test.each<[string | null, string | null | undefined, boolean]>([
    [null, "bob", true],
    ["ada", "ada", true],
    ["ada", null, true],
    ["ada", undefined, true],
    ["ada", "bob", false],
  ])("of the user %j is open to %j: %s", (userId, caller, isOpen) => {
    const { access } = accessOf();
    const act = () => access.requireOwner(facts({ userId }), caller);
    if (isOpen) expect(act).not.toThrow();
    else
      expect(act).toThrow(expect.objectContaining({ code: "SESSION_NOT_FOUND", details: { session: "s" } }));
  });

  test("of an agent that the plan no longer has cannot run", () => {
    const { access } = accessOf();

    expect(access.requireAgent(facts())).toBeNull();
    expect(access.requireAgent(facts({ agent: "helper" }))).toMatchObject({ description: "Helps." });
    for (const agent of ["gone", "toString"])
      expect(() => access.requireAgent(facts({ agent }))).toThrow(
        expect.objectContaining({ code: "AGENT_NOT_FOUND", details: { agent, known: ["helper"] } }),
      );
  });

  test("is restored from its log where this process does not have its newest state", async () => {
    const { access, host } = accessOf();
    const log = await access.create(facts());
    log.view.state = { mode: "plan" };
    const stateOf = () => host.session("s").snapshot();

    access.remember(log);
    await access.restore(host, log);
    expect(stateOf()).toEqual({});
    access.forget("s");
    await access.restore(host, log);
    expect(stateOf()).toEqual({ mode: "plan" });
    await log.append({ kind: "note", items: [] });
    log.view.state = { mode: "act" };
    await access.restore(host, log);
    expect(stateOf()).toEqual({ mode: "act" });
  });
});

describe("the settings of a turn", () => {
  test("are those of the plan, over them the agent's, and over them the turn's", () => {
    const { access } = accessOf({ instructions: "Be kind." });
    const of = (agent: string | null, settings: object = {}, instructions?: string) =>
      access.settingsFor(facts({ agent }), { settings, ...(instructions !== undefined && { instructions }) });

    expect(of(null)).toMatchObject({
      model: "m",
      apiKey: "k",
      baseUrl: "http://a.example",
      maxIterations: 32,
    });
    expect(of(null, { model: "n", apiKey: undefined })).toMatchObject({ model: "n", apiKey: "k" });
    expect(of(null, {}, "Be short.").instructions).toBe("Be kind.\n\nBe short.");
    expect(of(null).instructions).toBe("Be kind.");
    expect(accessOf({}).access.settingsFor(facts(), {}).instructions).toBeUndefined();
    expect(accessOf({}).access.settingsFor(facts(), { instructions: "Be short." }).instructions).toBe(
      "Be short.",
    );
    expect(of("helper")).toMatchObject({ model: "google:g", maxIterations: 3 });
    expect(of("helper", { maxIterations: 5 }).maxIterations).toBe(5);
  });

  test("for a model of another provider have neither the key nor the server of the plan", () => {
    const { access } = accessOf({ callsTools: true });
    const { apiKey, baseUrl, callsTools } = access.settingsFor(facts({ agent: "helper" }), {});
    const given = access.settingsFor(facts({ agent: "helper" }), { settings: { apiKey: "own" } });

    expect([apiKey, baseUrl, callsTools]).toEqual([undefined, undefined, undefined]);
    expect(given.apiKey).toBe("own");
  });

  test.each([
    ["m", "corp:x"],
    ["corp:x", "m"],
    ["corp:x", "other:y"],
    ["corp:x", "google:g"],
  ])("for %s have a key that does not reach %s, whose provider a module mounted or not", (model, other) => {
    const { access, host } = accessOf({ model });
    for (const name of ["corp", "other"])
      host.coordinator.mount(
        "models",
        { name, open: () => Promise.reject(new Error("not asked")) },
        { name },
      );
    const keyOf = (asked: string) => access.settingsFor(facts(), { settings: { model: asked } }).apiKey;

    expect(keyOf(other)).toBeUndefined();
    expect(keyOf(model)).toBe("k");
  });

  test("of a sub-agent have no schema of an answer: its parent reads a text", () => {
    const { access } = accessOf({ outputSchema: { type: "object" } });

    expect(access.settingsFor(facts(), {}).outputSchema).toEqual({ type: "object" });
    expect(access.settingsFor(facts({ parentId: "p" }), {}).outputSchema).toBeUndefined();
  });
});

test("the user of a session is read from its record alone", async () => {
  const { sessions } = createMemoryStore();
  const save = (id: string, data: object) =>
    sessions.save({ id, parentId: null, version: 1, createdAt: 0, updatedAt: 0, data: data as never });
  await save("s", { userId: "ada" });
  await save("t", { userId: 7 });

  expect([await ownerOf(sessions, "s"), await ownerOf(sessions, "t")]).toEqual(["ada", null]);
  await expect(ownerOf(sessions, "gone")).rejects.toMatchObject({
    code: "SESSION_NOT_FOUND",
    details: { session: "gone" },
  });
});

describe("what people see of a session", () => {
  const usage = { requests: 1, inputTokens: 1_000_000, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const prices = { input: 2, output: 4, currency: "EUR" };
  const record = (data: object): SessionRecord => ({
    id: "s",
    parentId: "p",
    version: 1,
    createdAt: 1,
    updatedAt: 2,
    data: data as never,
  });

  test("is its record, and what a record of an older version lacks has a default", () => {
    expect(
      summaryOf(
        record({ agent: "a", title: "t", turns: 2, status: "open", waits: 1, usage, forkedFrom: "f" }),
        prices,
      ),
    ).toEqual({
      id: "s",
      parentId: "p",
      agent: "a",
      title: "t",
      turns: 2,
      status: "open",
      waits: 1,
      usage,
      cost: { amount: 2, currency: "EUR" },
      forkedFrom: "f",
      createdAt: 1,
      updatedAt: 2,
    });
    expect(summaryOf(record({}), undefined)).toMatchObject({
      agent: null,
      title: "",
      turns: 0,
      status: "done",
      waits: 0,
      usage: { requests: 0 },
      cost: null,
      forkedFrom: null,
    });
  });

  test("is its log, with secrets masked but in what a client runs", () => {
    const call = (callId: string, waitsFor: string) => ({
      call: { callId },
      output: null,
      waits: { ticket: "k", tool: "look", waitsFor, arguments: { password: "hunter2" }, asking: false },
    });
    const items = [
      { type: "function_call", call_id: "a", arguments: '{"password":"hunter2"}' },
      { type: "function_call_output", call_id: "a", output: "[cleared to make room: x" },
      { type: "message", role: "user", content: "hi" },
    ];
    const view = {
      ...createView(),
      items,
      summaries: 2,
      lastInputTokens: 7,
      turn: { calls: [call("a", "client"), call("b", "approval")] },
    };
    const details = detailsOf(view as never, undefined);

    expect(details.context).toEqual({ tokens: 7, cleared: 1, summaries: 2 });
    expect(details.waits).toBe(2);
    expect(details.waiting.map((one) => JSON.stringify(one.arguments).includes("hunter2"))).toEqual([
      true,
      false,
    ]);
    expect(JSON.stringify(details.items)).not.toContain("hunter2");
    expect(detailsOf({ ...view, lastInputTokens: 0 } as never, undefined).context.tokens).toBeGreaterThan(7);
  });

  test("of its last turn is how that ended", () => {
    const lastTurn = { turnId: "t", iteration: 2, callCount: 3, usage, incomplete: null, error: null };
    const log = (more: object = {}) =>
      ({
        facts: facts(),
        view: { ...createView(), lastStatus: "done", lastText: "hi", lastTurn: { ...lastTurn, ...more } },
      }) as never;

    expect(pastTurn(log(), { prices })).toEqual({
      sessionId: "s",
      turnId: "t",
      status: "done",
      text: "hi",
      waiting: [],
      iterations: 2,
      calls: 3,
      usage,
      cost: { amount: 2, currency: "EUR" },
    });
    expect(pastTurn(log({ incomplete: "refusal", error: { code: "X", message: "m" } }), {})).toMatchObject({
      incomplete: "refusal",
      error: { code: "X", message: "m" },
      cost: null,
    });
  });
});
