import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const host = "/api/v1/hosts/default";
const calls = [
  { tool: "wipe", arguments: { text: "disk" } },
  { tool: "echo", arguments: { text: "done" } },
];

test("a rehearsal over HTTP runs no tool, and says what the calls would ask", async () => {
  const world = createWorld();
  const { ask } = await serve(world.host);
  const { status, body } = await ask("POST", `${host}/rehearsals`, {
    as: "caller",
    body: { sessionId: "s", calls },
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    calls: [
      { tool: "wipe", isModelled: false, asks: ['"wipe" asks for confirmation'] },
      { tool: "echo", asks: [] },
    ],
    stopped: null,
    made: null,
  });
  expect(world.started).toEqual([]);
  const listed = (await ask("GET", `${host}/calls`, { as: "caller" })).body;
  expect(listed["calls"]).toMatchObject([{ kind: "rehearsal" }, { kind: "rehearsal" }]);
});

test("one question about the list is approved by another token, cut, and made once, by another server, too", async () => {
  const store = createMemoryStore();
  const first = await serve(createWorld({ store }).host);
  const rehearsed = await first.ask("POST", `${host}/rehearsals`, {
    as: "caller",
    body: { sessionId: "s", calls, ask: true },
  });
  const { made } = rehearsed.body as unknown as { made: { status: string; ticket: string } };
  expect(made).toMatchObject({ status: "pending" });

  const world = createWorld({ store });
  const { ask } = await serve(world.host);
  const { waiting } = (await ask("GET", `${host}/approvals`)).body as unknown as {
    waiting: { id: string; arguments: object }[];
  };
  expect(waiting).toHaveLength(1);
  const decision = { decision: "approve", arguments: { ...waiting[0]!.arguments, first: 1 } };
  const decided = await ask("POST", `${host}/approvals/${waiting[0]!.id}/decision`, { body: decision });
  expect(decided.status).toBe(200);
  const resume = () =>
    ask("POST", `${host}/resume`, { as: "caller", body: { ticket: made.ticket, sessionId: "s" } });
  expect((await resume()).body).toMatchObject({
    status: "ok",
    result: { data: { made: [{ tool: "wipe", data: "wiped disk" }] } },
  });
  await resume();
  expect(world.started).toEqual(["wipe"]);
});

test("the list of a user is that user's, also for who would make its calls", async () => {
  const world = createWorld();
  const { ask } = await serve(world.host);
  const body = { sessionId: "s", calls, ask: true };
  const mine = (await ask("POST", `${host}/rehearsals`, { as: "ana", body })).body;
  const { ticket } = mine["made"] as unknown as { readonly ticket: string };
  const [question] = await world.host.approvals.list();
  expect(question!.info.userId).toBe("ana");
  await world.host.approvals.decide(question!.id, "approve", "ops");
  const resume = { ticket, sessionId: "s" };
  expect((await ask("POST", `${host}/resume`, { as: "caller", body: resume })).status).toBe(404);
  expect(world.started).toEqual([]);
  expect((await ask("POST", `${host}/resume`, { as: "ana", body: resume })).body).toMatchObject({
    status: "ok",
  });
  expect(world.started).toEqual(["wipe", "echo"]);
});

test("a rehearsal asks a person where the request wants that, and where a call is on its list", async () => {
  const { host: own } = createWorld();
  const { ask } = await serve(own);
  own.coordinator.hooks.gate("tool:pre", (_, given) => {
    const { text } = given["tool_input"] as { text: string };
    return text === "stop" ? { action: "deny", reason: "no" } : { action: "continue" };
  });
  const rehearse = async (texts: readonly string[], more: object = {}) => {
    const asked = texts.map((text) => ({ tool: "wipe", arguments: { text } }));
    const { body } = await ask("POST", `${host}/rehearsals`, {
      body: { sessionId: "s", calls: asked, ...more },
    });
    const {
      outcomes,
      calls: listed,
      stopped,
      made,
      digest,
    } = body as unknown as {
      outcomes: { status: string }[];
      calls: object[];
      stopped: object | null;
      made: { status: string } | null;
      digest: string;
    };
    expect(digest).toMatch(/./);
    return [outcomes.map(({ status }) => status), listed.length, stopped === null, made?.status ?? null];
  };
  expect(await rehearse(["a", "b"])).toEqual([["ok", "ok"], 2, true, null]);
  expect(await rehearse(["a", "b"], { ask: true })).toEqual([["ok", "ok"], 2, true, "pending"]);
  expect(await rehearse(["a"], { ask: false })).toEqual([["ok"], 1, true, null]);
  expect(await rehearse(["stop"], { ask: true })).toEqual([["denied"], 0, true, null]);
});

test("a token that may only call runs no rehearsed list by itself, also where a rule allows every tool", async () => {
  const world = createWorld({ store: createMemoryStore() });
  const waives = { answer: "allow", waives: "confirmation", rule: "plan.yaml:1:1" } as const;
  world.host.coordinator.mount("policies", { name: "all", prepare: () => () => waives });
  const { ask } = await serve(world.host);
  const { body } = await ask("POST", `${host}/rehearsals`, {
    as: "caller",
    body: { sessionId: "s", calls, ask: true },
  });

  expect(body).toMatchObject({ made: { status: "pending" } });
  expect(world.started).toEqual([]);
});
