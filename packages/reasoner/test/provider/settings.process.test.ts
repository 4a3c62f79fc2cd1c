import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { config, settingsOf, settingsSchema, createResponsesModel } from "../../src/index.ts";
import { call, response, say, tool, world } from "../support/world.ts";

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };

test("reasoning items are kept between the requests of a turn without any setting", async () => {
  const { run, requests } = await world([response([reasoning, call("c1", "act")]), response([say("done")])], {
    tools: [tool("act", () => 1)],
  });
  await run("act");

  expect(requests[0]!["include"]).toEqual(["reasoning.encrypted_content"]);
  expect(requests[1]!.input).toContainEqual(
    expect.objectContaining({ type: "reasoning", encrypted_content: "sealed" }),
  );
});

test("a model that has no encrypted reasoning is asked without it, and remembered", async () => {
  const refusal = { error: { message: "Encrypted content is not supported with this model.", code: null } };
  const { run, requests } = await world((request) =>
    request["include"] === undefined ? response([say("hi")]) : { status: 400, body: refusal },
  );
  expect(await run("one")).toMatchObject({ status: "done", text: "hi" });
  expect(await run("two")).toMatchObject({ status: "done", text: "hi" });

  expect(requests.map(({ include }) => include === undefined)).toEqual([false, true, true]);
});

test("strictSchemas reports the tools whose schemas strict mode cannot express", async () => {
  const { run, events, requests } = await world([response([say("ok")])], {
    tools: [tool("open", () => 1), tool("closed", () => 1, { schema: z.strictObject({ a: z.string() }) })],
    settings: { strictSchemas: true },
  });
  await run("hello");

  const warnings = events.flatMap((event) => (event.type === "tool_warning" ? [event.message] : []));
  expect(warnings).toEqual([expect.stringMatching(/schemas of open;/)]);
  expect(requests[0]!.tools!.map(({ name, strict }) => [name, strict])).toEqual([
    ["closed", true],
    ["open", false],
  ]);
});

test("strictSchemas sends a schema without its defaults, which strict mode does not take", async () => {
  const schema = z.strictObject({ a: z.string(), unit: z.enum(["c", "f"]).default("c") });
  const { run, requests } = await world([response([say("ok")])], {
    tools: [tool("closed", () => 1, { schema })],
    settings: { strictSchemas: true },
  });
  await run("hello");

  const [sent] = requests[0]!.tools!;
  expect([sent!["strict"], JSON.stringify(sent).includes("default")]).toEqual([true, false]);
});

test("a setting that a plan does not write does not hide the one in Amplifier's config", () => {
  const parsed = config.parse({
    session: { orchestrator: { module: "loop", config: { max_iterations: 5, model: "m" } } },
  });

  expect(settingsOf(parsed)).toMatchObject({ model: "m", maxIterations: 5, retries: 2, budgets: {} });
});

test("OpenAI without a key is not asked; the error says which key to set", async () => {
  const open = () => createResponsesModel("gpt-5", { timeoutMs: 1_000 });
  expect(open).toThrow(/no API key for api\.openai\.com: set apiKey: \$\{OPENAI_API_KEY\}/);
});

test("a server of one's own without a key gets no Authorization header", async () => {
  const headers: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    headers.push(incoming.headers.authorization);
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify((response([say("hi")]) as { body: unknown }).body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { run } = await world([], { settings: { baseUrl } });

  expect(await run("hello")).toMatchObject({ status: "done" });
  expect(headers).toEqual([undefined]);
});

test("a server with Chat Completions only gets a hint in its error", async () => {
  const { run } = await world([{ status: 404, body: { error: { message: "404 page not found" } } }]);
  const turn = await run("hello");

  expect(turn.error?.message).toContain("model: openai-compatible:m");
});

test("a turn may make 32 requests unless the plan says otherwise", () => {
  expect(settingsSchema.parse({ model: "m" }).maxIterations).toBe(32);
});

test("settings of an Amplifier plan have its names, and those that it leaves open are not set", () => {
  const session = {
    orchestrator: {
      config: {
        temperature: 0.5,
        max_iterations: -1,
        api_key: "",
        max_tokens: null,
        colour: "red",
        toString: 1,
      },
    },
    providers: [
      {
        module: "provider-openai",
        config: { default_model: "m", base_url: "http://a.example", max_tokens: 7, temperature: 1 },
      },
    ],
    injection_size_limit: 5,
    injection_budget_per_turn: 6,
  };
  const parsed = config.parse({ session });

  expect(settingsOf(parsed)).toMatchObject({
    model: "m",
    baseUrl: "http://a.example",
    maxOutputTokens: 7,
    temperature: 0.5,
    maxIterations: 32,
    maxInjectionBytes: 5,
    injectionTokens: 6,
  });
  expect(settingsOf(parsed)).not.toHaveProperty("apiKey");
});

test("each setting that is wrong is named, and a plan without a model says so", () => {
  const wrong = { config: { model: "m", temperature: 3, retries: 11 } };

  expect(() => settingsOf({ session: { orchestrator: wrong } })).toThrow(/temperature: .*; retries: /);
  expect(() => settingsOf({})).toThrow(/model: /);
});
