import type { IncomingHttpHeaders } from "node:http";
import { createMemoryStore } from "@toolmount/core";
import type { ModelAbilities, ModelProvider, ModelRequest } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { pictures } from "../support/pictures.ts";
import { modelWorld } from "../support/model-world.ts";
import { dyingStore, tool, world } from "../support/world.ts";
import { anthropic, chat, gemini, responses, serveWire, type Wire } from "../support/wires.ts";

/** Headers in their order of names, without those of the connection. Versions and the machine's facts are `*`. */
function headerLines(headers: IncomingHttpHeaders): string {
  const ofConnection = /^(host|connection|content-length|accept-encoding|accept-language|sec-fetch-mode)$/;
  const ofMachine = /^x-stainless-(arch|os|runtime-version|package-version)$/;
  return Object.entries(headers)
    .filter(([name]) => !ofConnection.test(name))
    .map(([name, value]) => {
      const text = String(value);
      const shown = name === "user-agent" ? text.replaceAll(/\bv?\d[\w.-]*/g, "*") : text;
      return `${name}: ${ofMachine.test(name) ? "*" : shown}`;
    })
    .toSorted()
    .join("\n");
}

const png = pictures.png();

const echo = tool("echo", ({ text }) => `echo ${String(text)}`);
const said = (text: string, id: string) => ({ id, name: "echo", arguments: JSON.stringify({ text }) });

const pdf = btoa("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF");

const wires = [responses, chat, anthropic, gemini].flatMap((wire) =>
  [false, true].map((stream) => ({ wire, stream, title: `${wire.name}${stream ? ", streamed" : ""}` })),
);

describe.each(wires)("$title", ({ wire, stream }) => {
  test("answers with text, and reports usage and cost in one form", async () => {
    const prices = { input: 1, cachedInput: 0.5, output: 2 };
    const { run, events } = await modelWorld(wire, stream, [{ text: "hello" }], { settings: { prices } });
    const turn = await run("hi");

    expect(turn).toMatchObject({ status: "done", text: "hello", usage: { requests: 1, inputTokens: 10 } });
    expect(turn.usage).toMatchObject({ cachedTokens: 4, outputTokens: 6 });
    expect(turn.usage.reasoningTokens).toBe(wire === anthropic ? 0 : 2); // its format does not count them apart
    // 6 fresh tokens of input, 4 from the cache, 6 of output
    expect(turn.cost).toEqual({ amount: (6 * 1 + 4 * 0.5 + 6 * 2) / 1_000_000, currency: "USD" });
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

  test("a call of thousands of levels does not run, and the next turn of its session works", async () => {
    const text = `{"text":${"[".repeat(4_000)}${"]".repeat(4_000)}}`;
    const deep = { id: "c1", name: "echo", arguments: text };
    const replies = [{ calls: [deep] }, { text: "sorry" }, { text: "again" }];
    const { run, requests } = await modelWorld(wire, stream, replies, { tools: [echo] });
    expect(await run("go")).toMatchObject({ status: "done", text: "sorry" });
    expect(wire.outputs(requests[1]!)[0]![1]).toContain("nested deeper than 64 levels");
    expect(await run("again")).toMatchObject({ status: "done", text: "again" });
  });

  test("gets the image of a result, and says in one sentence when it cannot read one", async () => {
    const shown = (mimeType: string, data: string) => ({
      data: "here",
      content: [{ type: "image", mimeType, data }],
    });
    const screenshot = { ...tool("screenshot", () => null), execute: async () => shown("image/jpeg", png) };
    const drawing = {
      ...tool("drawing", () => null),
      execute: async () => shown("image/svg+xml", "PHN2Zy8+"),
    };
    const calls = ["screenshot", "drawing"].map((name, at) => ({ id: `c${at}`, name, arguments: "{}" }));
    const { run, texts } = await modelWorld(wire, stream, [{ calls }, { text: "seen" }], {
      tools: [screenshot, drawing],
    });

    expect(await run("look")).toMatchObject({ status: "done", text: "seen" });
    expect(texts[1]).toContain(png);
    expect(texts[1]).toContain("image/png"); // by its bytes; the tool said jpeg
    expect(texts[1]).toContain("an image of the type image/svg+xml, which this model does not take");
  });

  test("gets the PDF of a result where its server takes one, and reads where it is from others", async () => {
    const content = [
      { type: "file", uri: "https://a.test/a.pdf", mimeType: "application/pdf", data: pdf },
      { type: "file", uri: "file:///b.csv", mimeType: "text/csv", text: "city,sum" },
      { type: "file", uri: "https://a.test/c.zip", mimeType: "application/zip", data: "UEsDBA==" },
      { type: "file", uri: "https://a.test/d.pdf", name: "d.pdf" },
    ];
    const scan = { ...tool("scan", () => null), execute: async () => ({ data: "four files", content }) };
    const calls = [{ id: "c1", name: "scan", arguments: "{}" }];
    const { run, texts } = await modelWorld(wire, stream, [{ calls }, { text: "read" }], { tools: [scan] });

    expect(await run("look")).toMatchObject({ status: "done", text: "read" });
    const [, text = ""] = texts;
    if (wire === chat) expect(text).toContain("the file a.pdf of the type application/pdf, which this model");
    expect(text.split(pdf)).toHaveLength(wire === chat ? 1 : 2);
    expect(text).toContain(String.raw`The file b.csv:\ncity,sum`);
    expect(text).toContain("the file c.zip is left out");
    expect(text).toContain("(the file d.pdf is at https://a.test/d.pdf)");
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

  test.each([
    { title: "no text", reply: {} },
    { title: "white space", reply: { text: "\n " } },
  ])(
    "is asked once more after an answer of $title, and the turn is incomplete after a second one",
    async ({ reply }) => {
      const { run, events, requests } = await modelWorld(wire, stream, [
        reply,
        { text: "hello" },
        reply,
        reply,
        { text: "bye" },
      ]);
      expect(await run("go")).toMatchObject({ status: "done", text: "hello" });
      expect(events).toContainEqual({ type: "retry", kind: "empty", afterMs: 0 });

      expect(await run("go")).toMatchObject({
        status: "incomplete",
        incomplete: "empty",
        text: expect.stringMatching(/^\s*$/) as string,
      });
      expect(await run("go")).toMatchObject({ status: "done", text: "bye" });
      expect(requests).toHaveLength(5);
    },
  );

  test("is asked again when the connection breaks in the middle of a call, and the call runs once", async () => {
    const ran: unknown[] = [];
    const tools = [tool("echo", (given) => ran.push(given))];
    const replies = [
      { breaks: true } as const,
      { calls: [said("a", "c1")] },
      { breaks: true } as const,
      { text: "done" },
    ];
    const { run } = await modelWorld(wire, stream, replies, { tools });
    expect(await run("go")).toMatchObject({ status: "done", text: "done" });
    expect(ran).toHaveLength(1);
  });

  describe.each([
    { title: "whose arguments are valid so far", text: '{"text":"a"}' },
    { title: "without arguments", text: "{}" },
  ])("an answer that is cut in a call $title", ({ text }) => {
    const cut = {
      calls: [{ id: "c1", name: "echo", arguments: text }, said("b", "c2")],
      stop: "length",
    } as const;

    test("runs none of its calls: the model reads why, and answers again", async () => {
      const ran: unknown[] = [];
      const tools = [tool("echo", (given) => ran.push(given))];
      const replies = [cut, { calls: [said("small", "c3")] }, { text: "done" }];
      const { run, requests } = await modelWorld(wire, stream, replies, { tools });

      expect(await run("go")).toMatchObject({ status: "done", text: "done", calls: 3 });
      expect(ran).toEqual([{ text: "small" }]);
      const outputs = wire.outputs(requests[1]!);
      expect(outputs.map(([id]) => id)).toEqual(["c1", "c2"]);
      for (const [, output] of outputs) expect(output).toMatch(/max_output_tokens.* did not run.*ANSWER_CUT/);
    });

    test("ends the turn as incomplete when the next one is cut, too, and the session can go on", async () => {
      const ran: unknown[] = [];
      const tools = [tool("echo", (given) => ran.push(given))];
      const { run } = await modelWorld(wire, stream, [cut, cut, { text: "hello" }], { tools });

      expect(await run("go")).toMatchObject({ status: "incomplete", incomplete: "max_output_tokens" });
      expect(ran).toEqual([]);
      expect(await run("again")).toMatchObject({ status: "done", text: "hello" });
    });
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

  test("sends the requests that are checked in, headers and bytes", async () => {
    const { run, texts, paths, headers } = await modelWorld(
      wire,
      stream,
      [{ reasoning: "c2VhbGVk", calls: [said("a", "c1"), said("b", "c2")] }, { text: "done" }],
      { tools: [echo], settings: { temperature: 0, maxOutputTokens: 100 } },
    );
    await run("go");

    const lines = texts.map((text, at) => `POST ${paths[at]}\n${headerLines(headers[at]!)}\n\n${text}\n`);
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
    expect([isAsked, isReported]).toEqual([wire !== gemini, wire === gemini]);
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

test("a refusal of OpenAI makes the turn incomplete", async () => {
  const refusal = [
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I will not." }] },
  ];
  const refusing: Wire = {
    ...responses,
    body: () => ({ id: "r", status: "completed", model: "m", output: refusal }),
  };
  const { run } = await modelWorld(refusing, false, [{ text: "" }]);
  expect(await run("go")).toMatchObject({ status: "incomplete", incomplete: "refusal", text: "I will not." });
});

test("a stream of Anthropic that ends after a call, without a reason to stop, is asked again", async () => {
  const ran: unknown[] = [];
  const unended = anthropic.events({ calls: [said("a", "c1")] }).slice(0, -2);
  const { run, requests } = await modelWorld(
    { ...anthropic, events: (spoken) => (spoken.text === undefined ? unended : anthropic.events(spoken)) },
    true,
    [{ calls: [said("a", "c1")] }, { text: "done" }],
    { tools: [tool("echo", (given) => ran.push(given))] },
  );

  expect(await run("go")).toMatchObject({ status: "done", text: "done", calls: 0 });
  expect([ran, requests.length]).toEqual([[], 2]);
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

/** A provider with one model of the given abilities. Its answers are a text. */
function limitedProvider(abilities: Partial<ModelAbilities>) {
  const asked: ModelRequest[] = [];
  const open: ModelProvider["open"] = async (model) => ({
    provider: "limited",
    model,
    abilities: { tools: true, parallelCalls: true, streaming: true, serverState: true, ...abilities },
    async *respond(request) {
      asked.push(request);
      const items = [{ type: "message", role: "assistant", content: "ok" }];
      yield { type: "finish", items, usage: noUsage, responseId: null, model, incomplete: null };
    },
  });
  return { asked, provider: { name: "limited", open } };
}

const noUsage = { requests: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };

describe("what a model cannot do is known before the first request", () => {
  test("a model that cannot call tools is refused where a session offers some, and answers where it offers none", async () => {
    const { asked, provider } = limitedProvider({ tools: false });
    const settings = { model: "limited:m" };
    const offering = await world([], { tools: [echo], settings });
    offering.host.coordinator.mount("models", provider);
    const silent = await world([], { settings });
    silent.host.coordinator.mount("models", provider);

    expect(await offering.run("hi")).toMatchObject({
      status: "failed",
      error: {
        details: {
          kind: "configuration",
          problem: expect.stringMatching(/cannot call tools.*choose a model/) as string,
        },
      },
    });
    expect(asked).toEqual([]);
    expect(await silent.run("hi")).toMatchObject({ status: "done", text: "ok" });
  });

  test.each([
    {
      abilities: { streaming: false },
      sent: { stream: false },
      warning: "cannot stream; each answer arrives in one piece",
    },
    {
      abilities: { parallelCalls: false },
      sent: { parallelToolCalls: false },
      warning: "asked for one at a time",
    },
    {
      abilities: { serverState: false },
      sent: { store: false },
      warning: "the whole conversation is sent each time",
    },
  ])(
    "without $abilities, the turn warns once and the request has $sent",
    async ({ abilities, sent, warning }) => {
      const { asked, provider } = limitedProvider(abilities);
      const { run, events, host } = await world([], {
        tools: [echo],
        settings: { model: "limited:m", stream: true, store: true },
      });
      host.coordinator.mount("models", provider);

      expect(await run("hi")).toMatchObject({ status: "done" });
      expect(asked.map(({ settings }) => settings)).toEqual([expect.objectContaining(sent)]);
      const warnings = events.flatMap((event) => (event.type === "tool_warning" ? [event.message] : []));
      expect(warnings).toEqual([expect.stringContaining(warning)]);
    },
  );

  test("a plan may say that its model cannot call tools", async () => {
    const { run, requests } = await modelWorld(chat, true, [{ text: "ok" }], {
      tools: [echo],
      settings: { callsTools: false },
    });
    expect(await run("hi")).toMatchObject({ status: "failed" });
    expect(requests).toEqual([]);
  });

  test.each([
    {
      name: "ollama",
      path: "/api/show",
      can: { capabilities: ["completion", "tools"] },
      cannot: { capabilities: ["completion"] },
    },
    {
      name: "openrouter",
      path: "/v1/models/m/endpoints",
      can: { data: { endpoints: [{ supported_parameters: ["tools"] }] } },
      cannot: { data: { endpoints: [{ supported_parameters: ["temperature"] }] } },
    },
  ])("$name is asked whether its model can call tools", async ({ name, path, can, cannot }) => {
    for (const described of [can, cannot, null]) {
      const server = await serveWire(chat, [{ text: "ok" }], { facts: { [path]: described } });
      const settings = { model: `${name}:m`, baseUrl: server.baseUrl, apiKey: "k" };
      const { run } = await world([], { tools: [echo], settings });
      const turn = await run("hi");

      if (described === cannot) {
        expect(turn).toMatchObject({ status: "failed", error: { details: { kind: "configuration" } } });
        expect(server.requests).toEqual([]);
      } else expect(turn).toMatchObject({ status: "done", text: "ok" }); // a server that does not say is asked
    }
  });
});

/** Groq counts the tokens of a stream in a member of its own. */
const groq: Wire = {
  ...chat,
  events: (spoken) =>
    chat
      .events(spoken)
      .map((event) => ("usage" in event ? { ...event, x_groq: { usage: event.usage } } : event)),
};

const others = [
  { model: "mistral:m", wire: chat },
  { model: "groq:m", wire: groq },
  { model: "xai:m", wire: responses },
  { model: "ollama:m", wire: chat },
  { model: "lmstudio:m", wire: chat },
  { model: "vllm:m", wire: chat },
  { model: "openrouter:m", wire: chat },
].flatMap((row) => [false, true].map((stream) => ({ ...row, stream })));

test.each(others)(
  "$model, streamed $stream: makes calls one at a time, and reads their results",
  async ({ model, wire, stream }) => {
    const calls = [said("a", "aaaaaaaa1")]; // Mistral takes ids of nine letters
    const { run, requests, texts } = await modelWorld(
      { ...wire, model },
      stream,
      [{ calls }, { text: "done" }],
      {
        tools: [echo],
        settings: { parallelToolCalls: false },
      },
    );
    const turn = await run("go");

    expect(turn).toMatchObject({
      status: "done",
      text: "done",
      calls: 1,
      usage: { inputTokens: 20, outputTokens: 12 },
    });
    expect(wire.outputs(requests[1]!)).toEqual([["aaaaaaaa1", expect.stringContaining("echo a")]]);
    expect(texts[0]).toContain('"parallel_tool_calls":false');
  },
);

test.each([false, true])(
  "openrouter gets the PDF of a result in a message of the user, streamed %s",
  async (stream) => {
    const content = [{ type: "file", uri: "https://a.test/a.pdf", mimeType: "application/pdf", data: pdf }];
    const scan = { ...tool("scan", () => null), execute: async () => ({ data: "a letter", content }) };
    const { run, requests } = await modelWorld(
      { ...chat, model: "openrouter:m" },
      stream,
      [{ calls: [{ id: "c1", name: "scan", arguments: "{}" }] }, { text: "read" }],
      { tools: [scan] },
    );

    expect(await run("look")).toMatchObject({ status: "done", text: "read" });
    const messages = requests[1]!["messages"] as readonly object[];
    expect(messages.slice(-2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "a letter" },
      {
        role: "user",
        content: [
          { type: "text", text: "(from the output of the call c1)" },
          { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
        ],
      },
    ]);
  },
);
