import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { outputs, tool, world, type Answer } from "./world.ts";

/** Traffic of real servers, recorded by others; it is not part of this repository, and tests say when it is absent. */
const folder = join(import.meta.dirname, "../../../../shared/fixtures/responses");
const isThere = existsSync(folder);
const read = (file: string) => readFileSync(join(folder, file), "utf8");

/** A test that needs the recordings; where they are not, it says so. */
function recorded(run: () => Promise<void>) {
  return async ({ annotate }: TestContext): Promise<void> => {
    if (isThere) await run();
    else await annotate("the recorded traffic is not there; only the exchanges of this folder were tried");
  };
}

interface Exchange {
  readonly status: number;
  readonly request: { readonly tools?: readonly { name: string }[] };
  readonly response?: unknown;
  readonly stream?: string;
}

const exchanges = (file: string) => JSON.parse(read(`${file}.exchanges.json`)) as Exchange[];
const answersOf = (list: readonly Exchange[]): Answer[] =>
  list.map(({ status, response: body, stream }) => (stream === undefined ? { status, body } : { stream }));
const chunks = (file: string): object[] =>
  read(file)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

const whole = [
  { file: "test_openai_responses_model_simple_response_with_tool_call", stream: false },
  { file: "test_openai_responses_model_retry", stream: false },
  { file: "test_openai_responses_stream", stream: true },
  { file: "test_openai_responses_phase_streamed_on_part_start", stream: true },
  { file: "test_openai_responses_thinking_with_tool_calls", stream: false },
  { file: "test_openai_conversation_id_tool_call_continuation", stream: false },
];

for (const { file, stream } of whole)
  test(
    `APTIX-22: the recorded loop ${file} is walked to its end, with each call answered once`,
    recorded(async () => {
      const list = exchanges(file);
      const names = [...new Set(list.flatMap(({ request }) => request.tools?.map(({ name }) => name) ?? []))];
      const { run, requests, reasoner } = await world(answersOf(list), {
        tools: names.map((name) => tool(name, () => `answer of ${name}`)),
        settings: { stream },
      });
      const turn = await run("go");

      expect(turn.error).toBeUndefined();
      expect(turn.status).toBe("done");
      expect(turn.text).not.toBe("");
      expect(turn.calls).toBeGreaterThan(0);
      expect(turn.usage.outputTokens).toBeGreaterThan(0);
      expect(requests).toHaveLength(list.length);
      const { items } = await reasoner.show("s");
      const ids = (type: string) =>
        items.filter((item) => item["type"] === type).map((item) => item["call_id"]);
      expect(ids("function_call_output")).toEqual(ids("function_call"));
      for (const output of Object.values(outputs(requests.at(-1)))) expect(output).toMatch(/^answer of /);
    }),
  );

test(
  "the two calls of one recorded answer run as one group",
  recorded(async () => {
    const { run, heard } = await world(answersOf(exchanges("test_openai_responses_model_retry")), {
      tools: [tool("get_location", ({ loc_name: name }) => name)],
    });
    await run("go");

    const first = heard.filter(({ event }) => event === "tool:pre").slice(0, 2);
    expect(first.map(({ data }) => data["tool_input"])).toEqual([
      { loc_name: "Londos" },
      { loc_name: "London" },
    ]);
    expect(new Set(first.map(({ data }) => data["parallel_group_id"])).size).toBe(1);
  }),
);

for (const { file, name } of [
  { file: "azure-tool-call.1", name: "weather" },
  { file: "lmstudio-tool-call.1", name: "weather" },
])
  test(
    `${file}: a call is read the same, streamed or not`,
    recorded(async () => {
      const seen: unknown[] = [];
      for (const stream of [false, true]) {
        const answer = stream
          ? { stream: chunks(`${file}.chunks.txt`) }
          : { body: JSON.parse(read(`${file}.json`)) as object };
        const { run, events } = await world([answer], {
          tools: [tool(name, (params) => void seen.push(params))],
          settings: { stream, maxIterations: 1 },
        });
        const turn = await run("weather?");
        expect(turn).toMatchObject({ calls: 1, error: { code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" } });
        expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
      }
      expect(seen).toEqual([{ location: "San Francisco" }, { location: "San Francisco" }]);
    }),
  );

test(
  "github-copilot-id-rotation: ids that change from event to event do no harm",
  recorded(async () => {
    const { run, events } = await world([{ stream: chunks("github-copilot-id-rotation.1.chunks.txt") }], {
      settings: { stream: true },
    });
    const turn = await run("how many?");

    expect(turn).toMatchObject({ status: "done", text: expect.stringContaining("There are **3** letter") });
    const streamed = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    expect(streamed).toBe(turn.text);
  }),
);

test(
  "openai-reasoning-encrypted-content: reasoning goes back to the server as it came",
  recorded(async () => {
    const all = chunks("openai-reasoning-encrypted-content.1.chunks.txt") as { type: string }[];
    const starts = all.flatMap(({ type }, at) => (type === "response.created" ? [at] : []));
    const parts = starts.map((from, at) => all.slice(from, starts[at + 1]));
    const names = new Set(
      all.flatMap((event) => {
        const { item } = event as { item?: { type: string; name: string } };
        return item?.type === "function_call" ? [item.name] : [];
      }),
    );
    const { run, requests, heard } = await world(
      parts.map((stream) => ({ stream })),
      {
        tools: [...names].map((name) => tool(name, () => 42)),
        settings: { stream: true, reasoning: { effort: "low" } },
      },
    );
    const turn = await run("calculate");

    expect(turn).toMatchObject({ status: "done", calls: 3, iterations: 4 });
    const carried = requests.at(-1)!.input.filter(({ type }) => type === "reasoning");
    expect(carried.length).toBeGreaterThan(0);
    for (const item of carried) expect(item["encrypted_content"]).toBeTypeOf("string");
    expect(heard.map(({ event }) => event)).toContain("thinking:delta");
  }),
);

test(
  "AMP-N61: recorded errors: of a request, of a quota, and in the middle of a stream",
  recorded(async () => {
    const request = await world(answersOf(exchanges("test_openai_responses_model_http_error")));
    expect((await request.run("go")).error).toMatchObject({
      details: { kind: "invalid_request", status: 400 },
    });

    const temperature = await world([
      { status: 400, body: JSON.parse(read("reasoning-model-temperature-error.json")) as object },
    ]);
    expect((await temperature.run("go")).error).toMatchObject({ details: { kind: "invalid_request" } });

    const quota = await world([{ status: 429, body: JSON.parse(read("openai-error.1.json")) as object }]);
    expect((await quota.run("go")).error).toMatchObject({
      details: { kind: "quota_exceeded", retryable: false },
    });
    expect(quota.requests).toHaveLength(1);

    const stream = await world([{ stream: chunks("openai-error.1.chunks.txt") }], {
      settings: { stream: true },
    });
    expect((await stream.run("go")).error).toMatchObject({ details: { kind: "quota_exceeded" } });
  }),
);
