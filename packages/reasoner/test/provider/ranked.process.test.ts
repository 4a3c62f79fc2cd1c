import { createHost, type Host } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import {
  config,
  createReasoner,
  mount,
  settingsSchema,
  type Reasoner,
  type TurnEvent,
} from "../../src/index.ts";
import { importPackage, serveWire } from "../support/model-world.ts";
import { anthropic, chat, gemini, responses } from "../support/wires.ts";
import { call, response, say, serve, tool, type Answer } from "../support/world.ts";

const wires = [responses, chat, anthropic, gemini];

const provider = (id: string, baseUrl: string, priority: number) => ({
  module: "provider-openai",
  id,
  config: {
    default_model: `model-${id}`,
    base_url: baseUrl,
    api_key: `key-${id}`,
    priority,
    retries: 0,
    stream: false,
  },
});

/** A host whose Amplifier plan has these servers as providers, by rank. */
async function session(servers: Readonly<Record<string, string>>, agents: object = {}) {
  const ran: unknown[] = [];
  const host: Host = createHost();
  onTestFinished(async () => void (await host.close()));
  host.coordinator.mount(
    "tools",
    tool("note", (given) => ran.push(given)),
  );
  const providers = Object.entries(servers).map(([id, url], at) => provider(id, url, at));
  await mount(host.coordinator, config.parse({ session: { raw: true, providers, agents } }));
  const reasoner = host.coordinator.get("orchestrator") as Reasoner;
  const events: TurnEvent[] = [];
  const run = (prompt: string) =>
    reasoner.run(host, { prompt, sessionId: "s", onEvent: (event) => void events.push(event) });
  return { host, run, ran, events };
}

const refusal = (status: number): Answer => ({
  status,
  body: { error: { message: `refused with ${status}` } },
});

test.each([401, 403, 404, 429, 500, 503])(
  "where the first provider refuses with %i, the next one is asked, in this turn and at first in the next",
  async (status) => {
    const first = await serve(() => refusal(status));
    const second = await serve([response([say("one")]), response([say("two")])]);
    const { run, events } = await session({ a: first.baseUrl, b: second.baseUrl });

    expect([await run("1"), await run("2")]).toMatchObject([
      { status: "done", text: "one" },
      { status: "done", text: "two" },
    ]);
    expect(new Set(first.keys)).toEqual(new Set(["Bearer key-a"]));
    expect(second.keys).toEqual(["Bearer key-b", "Bearer key-b"]);
    expect(second.requests.map(({ model }) => model)).toEqual(["model-b", "model-b"]);
    const ofFirst = first.requests.length;
    expect(events).toContainEqual({
      type: "tool_warning",
      tool: "",
      message: expect.stringMatching(/^model-a on .+ failed: .+; model-b on .+ is asked$/) as string,
    });
    expect(ofFirst).toBeLessThanOrEqual(1 + 2);
  },
);

test("a provider that is not there does not end a turn, and a call runs once", async () => {
  const first = await serve([response([call("c1", "note", { text: "x" })]), refusal(401)]);
  const second = await serve([response([say("noted")])]);
  const { run, ran } = await session({ none: "http://127.0.0.1:1/v1", a: first.baseUrl, b: second.baseUrl });

  expect(await run("note x")).toMatchObject({ status: "done", text: "noted" });
  expect(ran).toEqual([{ text: "x" }]);
  expect(second.requests[0]!.input.map(({ type, role }) => type ?? role)).toEqual([
    expect.stringMatching(/user|message/),
    "function_call",
    "function_call_output",
  ]);
});

test("where all fail, the turn fails with what the last one says", async () => {
  const first = await serve(() => refusal(401));
  const second = await serve(() => refusal(403));
  const { run } = await session({ a: first.baseUrl, b: second.baseUrl });

  expect(await run("1")).toMatchObject({
    status: "failed",
    error: { code: "PROVIDER_FAILED", details: { model: "model-b", status: 403 } },
  });
});

test("what the conversation is refused for is asked of no other provider", async () => {
  const first = await serve(() => refusal(400));
  const second = await serve([response([say("never")])]);
  const { run } = await session({ a: first.baseUrl, b: second.baseUrl });

  expect(await run("1")).toMatchObject({ status: "failed" });
  expect(second.requests).toEqual([]);
});

test("an agent asks the providers that it prefers, then those of the session", async () => {
  const first = await serve([
    response([call("c1", "ask")]),
    response([say("by the session's")]),
    response([say("done")]),
  ]);
  const second = await serve(() => refusal(401));
  const agents = {
    reader: {
      description: "Reads.",
      provider_preferences: [{ provider: "none" }, { provider: "b", model: "small" }],
    },
  };
  const { host, run } = await session({ a: first.baseUrl, b: second.baseUrl }, agents);
  const spawn = host.coordinator.getCapability("session.spawn")!;
  const answers: unknown[] = [];
  host.coordinator.mount(
    "tools",
    tool("ask", async (_, { sessionId, turnId }) => {
      const request = {
        agent: "reader",
        instruction: "read",
        parentSessionId: sessionId!,
        parentTurnId: turnId!,
      };
      answers.push(await spawn(request));
    }),
  );

  expect(await run("ask the reader")).toMatchObject({ text: "done" });
  expect(answers).toMatchObject([{ turn: { text: "by the session's" } }]);
  expect([second.requests.map(({ model }) => model), second.keys]).toEqual([["small"], ["Bearer key-b"]]);
  expect(new Set(first.keys)).toEqual(new Set(["Bearer key-a"]));
});

test.each(wires.flatMap((one) => wires.filter((other) => other !== one).map((other) => ({ one, other }))))(
  "a turn that $one.name began is ended by $other.name, each in its own form",
  async ({ one, other }) => {
    const asks = { calls: [{ id: "c1", name: "note", arguments: '{"text":"x"}' }] };
    const first = await serveWire(one, [asks, { status: 403 }]);
    const second = await serveWire(other, [{ text: "noted" }]);
    const ran: unknown[] = [];
    const host = createHost();
    onTestFinished(async () => void (await host.close()));
    host.coordinator.registerCapability("host.import_package", importPackage);
    host.coordinator.mount(
      "tools",
      tool("note", (given) => ran.push(given)),
    );
    const base = settingsSchema.parse({ model: one.model, baseUrl: first.baseUrl, apiKey: "k" });
    const next = settingsSchema.parse({ model: other.model, baseUrl: second.baseUrl, apiKey: "k" });
    const ranked = { session: [base, next], agents: new Map() };
    const reasoner = createReasoner(host.coordinator, { settings: base, ranked });

    expect(await reasoner.run(host, { prompt: "note x", sessionId: "s" })).toMatchObject({
      status: "done",
      text: "noted",
    });
    expect(ran).toEqual([{ text: "x" }]);
  },
);
