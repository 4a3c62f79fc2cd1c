import { expect, onTestFinished, test } from "vitest";
import {
  anthropicApi,
  chatApi,
  responsesApi,
  startProvider,
  type ProviderApi,
  type ProviderOptions,
  type ProviderScript,
} from "../src/providers.ts";

const hi = { messages: [{ role: "user", content: "hi" }] };

async function open(script: ProviderScript, options?: ProviderOptions, api: ProviderApi = chatApi) {
  const server = await startProvider(api, script, options);
  onTestFinished(() => server.close());
  const ask = async (body: object = hi, path = "", init: RequestInit = {}) => {
    const answer = await fetch(`${server.baseUrl}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      ...init,
    });
    const text = await answer.text();
    return {
      status: answer.status,
      type: answer.headers.get("content-type"),
      text,
      retry: answer.headers.get("retry-after"),
    };
  };
  return { server, ask };
}

const contentOf = (text: string) =>
  (JSON.parse(text) as { choices: [{ message: { content: string } }] }).choices[0].message.content;

test("a script is answered in order, and a request beyond it is refused", async () => {
  const { ask } = await open([{ text: "one" }, { status: 503, headers: { "retry-after": "2" } }]);

  expect(contentOf((await ask()).text)).toBe("one");
  expect(await ask()).toEqual({
    status: 503,
    type: "application/json",
    text: '{"error":{"message":"status 503","type":"test","code":503,"status":"TEST"},"type":"error"}',
    retry: "2",
  });
  expect(await ask()).toMatchObject({ status: 400, text: expect.stringContaining("status 400") });
});

test("a script may be a function of the number and the request", async () => {
  const { ask, server } = await open(async (at, { messages }) => ({
    text: `${at} ${JSON.stringify(messages)}`,
  }));
  await ask();

  expect(contentOf((await ask({ messages: [{ role: "user", content: "yo" }] })).text)).toBe(
    '1 [{"role":"user","content":"yo"}]',
  );
  expect(server.requests).toEqual([hi, { messages: [{ role: "user", content: "yo" }] }]);
  expect(server.texts[0]).toBe(JSON.stringify(hi));
  expect(server.headers[0]).toMatchObject({ "content-length": String(JSON.stringify(hi).length) });
});

test("what breaks a rule is refused with its name, and noted", async () => {
  const { ask, server } = await open(() => ({ text: "ok" }));
  const { status, type, text } = await ask({ messages: [] });

  expect([status, type]).toEqual([400, "application/json"]);
  expect(JSON.parse(text)).toEqual({
    type: "error",
    error: {
      message: `messages-not-empty: ${server.broken[0]!.problem}`,
      type: "invalid_request_error",
      code: 400,
      status: "INVALID_ARGUMENT",
    },
  });
});

test("a stream is asked for in the body or in the path, and its events have a type where they say one", async () => {
  const chat = await open(() => ({ text: "ok" }));
  const messages = await open(() => ({ text: "ok" }), {}, anthropicApi);
  const streamed = await chat.ask({ ...hi, stream: true });

  expect(streamed.type).toBe("text/event-stream");
  expect(streamed.text.split("\n\n")).toHaveLength(4);
  expect(streamed.text).toMatch(/^data: \{"id":/);
  expect((await chat.ask(hi, "/x:streamGenerate")).type).toBe("text/event-stream");
  expect((await chat.ask({ ...hi, stream: "yes" })).type).toBe("application/json");
  expect((await messages.ask({ max_tokens: 9, ...hi, stream: true })).text).toMatch(
    /^event: message_start\ndata: \{"type":"message_start",.*\n\nevent: content_block_start\n/,
  );
  expect(chat.server.paths).toEqual(["/v1", "/v1/x:streamGenerate", "/v1"]);
});

test("a connection may break in the middle of an answer, or get none", async () => {
  const { ask, server } = await open([{ breaks: true }, { hangs: true }]);
  await expect(ask()).rejects.toThrow(/terminated|fetch failed/);
  const caller = new AbortController();
  const hanging = ask(hi, "", { signal: caller.signal });
  await expect.poll(() => server.requests.length).toBe(2);
  caller.abort();

  await expect(hanging).rejects.toThrow("abort");
});

test("other facts of a server are answered by path, and not counted", async () => {
  const { ask, server } = await open(() => ({ text: "ok" }), {
    facts: { "/v1/models": { data: [] }, "/v1/none": null },
  });

  expect(await ask({}, "/models")).toMatchObject({ status: 200, text: '{"data":[]}' });
  expect(await ask({}, "/none")).toMatchObject({ status: 404, text: "null" });
  expect(await ask({}, "/models/m/endpoints")).toMatchObject({ status: 404, text: "null" });
  expect(server.requests).toEqual([]);
});

test("with a window, a token is four characters, and what was counted is reported", async () => {
  const text = JSON.stringify(hi);
  const tokens = Math.ceil(text.length / 4);
  const usageOf = async (options: ProviderOptions, more: object = {}) => {
    const { ask } = await open(() => ({ text: "ok", ...more }), options);
    return (JSON.parse((await ask()).text) as { usage?: object }).usage;
  };

  expect(await usageOf({ window: tokens })).toMatchObject({
    prompt_tokens: tokens,
    completion_tokens: 6,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
  expect(
    await usageOf({ window: tokens }, { usage: { input: 1, cached: 0, output: 0, reasoning: 0 } }),
  ).toMatchObject({ prompt_tokens: 1 });
  expect(await usageOf({})).toMatchObject({ prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 });
  expect(await usageOf({ window: tokens, reportsUsage: false })).toBeUndefined();
  const { ask } = await open(() => ({ text: "ok" }), { window: tokens - 1 });
  expect(await ask()).toMatchObject({
    status: 400,
    text: expect.stringContaining(`length is ${tokens - 1} tokens`),
  });
});

test("what a request shares with the one before is counted from its beginning", async () => {
  const { ask, server } = await open(() => ({ text: "ok" }), {}, responsesApi);
  const item = (content: string) => ({ role: "user", content });
  for (const input of [
    [item("a")],
    [item("a"), item("b")],
    [item("a"), item("b")],
    [item("c"), item("b")],
    [item("c")],
  ])
    await ask({ input });
  await ask({ input: [item("c")], tools: [{ type: "function", name: "f", parameters: { type: "object" } }] });

  expect(server.shared).toEqual([0, 3, 4, 2, 3, 0]);
});
