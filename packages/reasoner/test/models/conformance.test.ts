import { createMemoryStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { dyingStore, tool, world, type WorldOptions } from "../support/world.ts";
import { anthropic, chat, gemini, responses, serveWire, type Reply, type Wire } from "../support/wires.ts";

/** Packages of the AI SDK, as a plan's folder has them installed. */
async function importPackage(name: string): Promise<Readonly<Record<string, unknown>> | null> {
  if (name === "@ai-sdk/anthropic") return import("@ai-sdk/anthropic");
  return name === "@ai-sdk/google" ? import("@ai-sdk/google") : null;
}

/** A host with a reasoner whose model is behind a server of one wire. */
async function modelWorld(
  wire: Wire,
  stream: boolean,
  replies: readonly Reply[] | ((at: number) => Reply),
  options: WorldOptions = {},
) {
  const server = await serveWire(wire, replies);
  const settings = { model: wire.model, baseUrl: server.baseUrl, apiKey: "k", stream, ...options.settings };
  const made = await world([], { ...options, settings });
  made.host.coordinator.registerCapability("host.import_package", importPackage);
  return { ...made, requests: server.requests, texts: server.texts, paths: server.paths };
}

const echo = tool("echo", ({ text }) => `echo ${String(text)}`);
const said = (text: string, id: string) => ({ id, name: "echo", arguments: JSON.stringify({ text }) });

const wires = [responses, chat, anthropic, gemini].flatMap((wire) =>
  [false, true].map((stream) => ({ wire, stream, title: `${wire.name}${stream ? ", streamed" : ""}` })),
);

describe.each(wires)("$title", ({ wire, stream }) => {
  test("answers with text, and reports usage in one form", async () => {
    const { run, events } = await modelWorld(wire, stream, [{ text: "hello" }]);
    const turn = await run("hi");

    expect(turn).toMatchObject({ status: "done", text: "hello", usage: { requests: 1, inputTokens: 10 } });
    expect(turn.usage.cachedTokens).toBe(4);
    expect(turn.usage.outputTokens).toBe(6);
    expect(events).toContainEqual({ type: "text", text: "hello" });
  });

  test("makes two parallel calls, and reads both results", async () => {
    const { run, requests } = await modelWorld(
      wire,
      stream,
      [{ calls: [said("a", "c1"), said("b", "c2")] }, { text: "done" }],
      { tools: [echo] },
    );
    const turn = await run("go");

    expect(turn).toMatchObject({ status: "done", text: "done", calls: 2, iterations: 2 });
    const outputs = wire.outputs(requests[1]!);
    expect(outputs.map(([id]) => id)).toEqual(["c1", "c2"]);
    expect(outputs.map(([, output]) => output)).toEqual([
      expect.stringContaining("echo a"),
      expect.stringContaining("echo b"),
    ]);
  });

  test("reads a failed call, and a call whose arguments are not JSON, as errors", async () => {
    const broken = { id: "c2", name: "echo", arguments: '{"text":' };
    const failing = tool("fail", () => {
      throw new Error("no such place");
    });
    const { run, requests } = await modelWorld(
      wire,
      stream,
      [{ calls: [{ id: "c1", name: "fail", arguments: "{}" }, broken] }, { text: "sorry" }],
      { tools: [echo, failing] },
    );
    expect(await run("go")).toMatchObject({ status: "done", text: "sorry" });

    const [first, second] = wire.outputs(requests[1]!);
    expect(first).toEqual(["c1", expect.stringContaining("Error")]);
    expect(second?.[0]).toBe("c2");
  });

  test("gets its reasoning back unchanged in the next request", async () => {
    const sealed = "c2lnbmVkLXRob3VnaHQ=";
    const { run, requests, reasoner } = await modelWorld(
      wire,
      stream,
      [{ reasoning: sealed, calls: [said("a", "c1")] }, { text: "done" }],
      { tools: [echo] },
    );
    expect(await run("think")).toMatchObject({ status: "done" });

    expect(JSON.stringify(requests[1])).toContain(sealed);
    expect(JSON.stringify((await reasoner.show("s")).items)).toContain(sealed);
  });

  test.each([
    { stop: "length" as const, reason: "max_output_tokens" },
    { stop: "filter" as const, reason: "content_filter" },
  ])("reports an answer cut for $reason", async ({ stop, reason }) => {
    const { run } = await modelWorld(wire, stream, [{ text: "half", stop }]);
    expect(await run("go")).toMatchObject({ status: "incomplete", incomplete: reason, text: "half" });
  });

  test("is asked again after 429 and 500, as long as the server says", async () => {
    const { run, events, requests } = await modelWorld(wire, stream, [
      { status: 429, headers: { "retry-after-ms": "1" } },
      { status: 500 },
      { text: "at last" },
    ]);
    expect(await run("go")).toMatchObject({ status: "done", text: "at last" });

    expect(requests).toHaveLength(3);
    const retries = events.flatMap((event) => (event.type === "retry" ? [[event.kind, event.afterMs]] : []));
    expect(retries).toEqual([
      ["rate_limit", 1],
      ["unavailable", 0],
    ]);
  });

  test("fails with a retryable error when the connection breaks in the middle", async () => {
    const { run } = await modelWorld(wire, stream, [{ breaks: true }], { settings: { retries: 0 } });
    expect(await run("go")).toMatchObject({
      status: "failed",
      error: { code: "PROVIDER_FAILED", details: { retryable: true } },
    });
  });

  test("stops when the turn is cancelled", async () => {
    const controller = new AbortController();
    const { run, requests } = await modelWorld(wire, stream, () => {
      setImmediate(() => controller.abort());
      return { hangs: true };
    });
    const turn = await run("go", { abortSignal: controller.signal });

    expect(turn.status).toBe("cancelled");
    expect(requests).toHaveLength(1);
  });

  test("continues after an approval, with its reasoning", async () => {
    const sealed = "c2VhbGVk";
    const write = tool("write", () => "written", { requiresConfirmation: true });
    const { run, resume, host, requests } = await modelWorld(
      wire,
      stream,
      [{ reasoning: sealed, calls: [{ id: "c1", name: "write", arguments: "{}" }] }, { text: "done" }],
      { tools: [write], host: { approver: () => ({ decision: "later" }) } },
    );
    expect((await run("write")).status).toBe("paused");
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "ada");
    const turn = await resume();

    expect(turn).toMatchObject({ status: "done", text: "done" });
    expect(wire.outputs(requests[1]!)).toEqual([["c1", expect.stringContaining("written")]]);
    expect(JSON.stringify(requests[1])).toContain(sealed);
  });

  test("gets its reasoning and calls back in a fork", async () => {
    const sealed = "Zm9ya2Vk";
    const { run, reasoner, host, requests } = await modelWorld(
      wire,
      stream,
      [{ reasoning: sealed, calls: [said("a", "c1")] }, { text: "one" }, { text: "two" }],
      { tools: [echo] },
    );
    await run("first");
    await reasoner.fork(host, "s", "copy");
    const turn = await reasoner.run(host, { prompt: "second", sessionId: "copy" });

    expect(turn).toMatchObject({ status: "done", text: "two" });
    expect(wire.outputs(requests[2]!)).toEqual([["c1", expect.stringContaining("echo a")]]);
    expect(JSON.stringify(requests[2])).toContain(sealed);
  });

  test("sends the requests that are checked in", async () => {
    const { run, texts, paths } = await modelWorld(
      wire,
      stream,
      [{ reasoning: "c2VhbGVk", calls: [said("a", "c1"), said("b", "c2")] }, { text: "done" }],
      { tools: [echo], settings: { temperature: 0, maxOutputTokens: 100 } },
    );
    await run("go");

    const lines = texts.map((text, at) => `POST ${paths[at]}\n${text}\n`);
    const file = `requests/${wire.name.toLowerCase().replaceAll(" ", "-")}${stream ? "-streamed" : ""}.txt`;
    await expect(lines.join("\n")).toMatchFileSnapshot(file);
  });

  test("makes one call at a time, or a warning says that the provider cannot be asked for it", async () => {
    const { run, events, texts } = await modelWorld(wire, stream, [{ text: "done" }], {
      tools: [echo],
      settings: { parallelToolCalls: false },
    });
    await run("go");

    const isAsked = /"parallel_tool_calls":false|"disable_parallel_tool_use":true/.test(texts[0]!);
    const isReported = events.some(
      (event) => event.type === "tool_warning" && event.message.includes("parallelToolCalls: false"),
    );
    expect([isAsked, isReported]).toEqual([
      [responses, anthropic].includes(wire),
      [chat, gemini].includes(wire),
    ]);
  });

  test("continues in another process after its own was killed", async () => {
    const store = createMemoryStore();
    const read = tool("read", () => "text", { category: "read" });
    const dying = dyingStore(store, 3);
    const calls = [{ id: "c1", name: "read", arguments: "{}" }];
    const first = await modelWorld(wire, stream, [{ reasoning: "c2VhbGVk", calls }], {
      tools: [read],
      store: dying.store,
      graceMs: 10,
    });
    void first.run("read").catch(() => null);
    await dying.dead;
    const second = await modelWorld(wire, stream, [{ text: "done" }], { tools: [read], store });

    expect(await second.resume()).toMatchObject({ status: "done", text: "done" });
    expect(wire.outputs(second.requests[0]!)).toEqual([["c1", expect.stringContaining("text")]]);
    expect(JSON.stringify(second.requests[0])).toContain("c2VhbGVk");
  });
});

describe("a change of model in a session", () => {
  test.each([
    { from: anthropic, to: responses },
    { from: responses, to: anthropic },
    { from: gemini, to: anthropic },
  ])("from $from.name to $to.name leaves out reasoning, and an event says so", async ({ from, to }) => {
    const sealed = "c2VhbGVk";
    const one = await modelWorld(
      from,
      false,
      [{ reasoning: sealed, calls: [said("a", "c1")] }, { text: "one" }],
      {
        tools: [echo],
      },
    );
    await one.run("first");
    const next = await serveWire(to, [{ text: "two" }]);
    const turn = await one.run("second", {
      settings: { model: to.model, baseUrl: next.baseUrl, apiKey: "k2" },
    });

    expect(turn).toMatchObject({ status: "done", text: "two" });
    expect(JSON.stringify(next.requests[0])).not.toContain(sealed);
    expect(to.outputs(next.requests[0]!)).toEqual([["c1", expect.stringContaining("echo a")]]);
    const isReported = one.events.some(
      (event) => event.type === "tool_warning" && event.message.includes("reasoning of another provider"),
    );
    expect(isReported).toBe(from !== gemini);
  });
});

test("another provider's model in a turn never gets the plan's key", async () => {
  const { run } = await modelWorld(responses, false, []);

  await expect(run("hi", { settings: { model: "anthropic:m" } })).rejects.toThrow(
    /no API key for "anthropic"/,
  );
});

test("a provider whose package is not installed is an error with its install command, before the turn", async () => {
  const { run, reasoner } = await world([], { settings: { model: "mistral:large", apiKey: "k" } });

  await expect(run("hi")).rejects.toMatchObject({
    code: "EXTENSION_MISSING",
    details: { install: "npm install @ai-sdk/mistral" },
  });
  expect(await reasoner.list()).toEqual([]);
});

test("a provider without a key is an error that names the variable and never shows a key", async () => {
  const { run } = await world([], { settings: { model: "anthropic:claude", apiKey: undefined } });

  await expect(run("hi")).rejects.toThrow(/no API key for "anthropic".*ANTHROPIC_API_KEY/);
});

test("a model that cannot call tools is refused before the first request", async () => {
  const { run, host } = await world([], { tools: [echo], settings: { model: "mute:m" } });
  host.coordinator.mount("models", {
    name: "mute",
    open: async (model) => ({
      provider: "mute",
      model,
      abilities: { tools: false, parallelCalls: false, streaming: false, serverState: false },
      respond: () => {
        throw new Error("must not be asked");
      },
    }),
  });

  expect(await run("hi")).toMatchObject({
    status: "failed",
    error: {
      details: { kind: "configuration", problem: expect.stringContaining("cannot call tools") as string },
    },
  });
});
