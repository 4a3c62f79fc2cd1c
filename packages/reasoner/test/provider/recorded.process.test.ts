import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, type TestContext } from "vitest";
import { outputs, response, say, tool, world, type Answer, type Request } from "../support/world.ts";

/** Traffic of real servers, recorded by others; it is not part of this repository, and tests say when it is absent. */
const folder = join(import.meta.dirname, "../../../../../shared/fixtures/responses");
const isThere = existsSync(folder);
const used = new Set(["README.md"]);

function read(file: string): string {
  used.add(file);
  return readFileSync(join(folder, file), "utf8");
}

/** A test that needs the recordings; without them it is skipped. */
function recorded(run: () => Promise<void>) {
  return async ({ skip }: TestContext): Promise<void> => {
    skip(!isThere, `${folder} does not exist: its recordings were not played`);
    await run();
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

interface Body {
  readonly output: readonly Readonly<Record<string, unknown>>[];
}

const body = (file: string) => JSON.parse(read(`${file}.json`)) as Body;

/** A recorded body as it would have come in a stream, where only the body was recorded. */
function streamOf(given: Body): Answer {
  const items = given.output.flatMap((item, at) => [
    { type: "response.output_item.added", output_index: at, item },
    { type: "response.output_item.done", output_index: at, item },
  ]);
  return { stream: [...items, { type: "response.completed", response: given }] };
}

/** One recorded answer both ways: as the stream that was recorded with it, or that it makes, and as a whole. */
const bothWays = (file: string) => [
  { stream: false, answer: (): Answer => ({ body: body(file) }) },
  {
    stream: true,
    answer: (): Answer =>
      existsSync(join(folder, `${file}.chunks.txt`))
        ? { stream: chunks(`${file}.chunks.txt`) }
        : streamOf(body(file)),
  },
];

/** The last word of a turn, in the form that was asked for. */
function ending(stream: boolean): Answer {
  const answer = response([say("ok")]) as { body: Body };
  return stream ? streamOf(answer.body) : answer;
}

const ofType = ({ input }: Request, wanted: string) => input.filter(({ type }) => type === wanted);

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

for (const { stream, answer } of bothWays("openai-client-tool-search.2"))
  test(
    `openai-client-tool-search, streamed ${stream}: a tool that was found runs, and one that is not there is refused`,
    recorded(async () => {
      const seen: unknown[] = [];
      const there = await world([answer(), ending(stream)], {
        tools: [tool("get_weather", (params) => (seen.push(params), "sunny"))],
        settings: { stream },
      });
      expect(await there.run("weather?")).toMatchObject({ status: "done", text: "ok", calls: 1 });
      expect(seen).toEqual([{ location: "San Francisco, CA", unit: "fahrenheit" }]);
      expect(Object.values(outputs(there.requests[1]))).toEqual(["sunny"]);

      const absent = await world([answer(), ending(stream)], {
        tools: [tool("get_time", () => "noon")],
        settings: { stream },
      });
      expect(await absent.run("weather?")).toMatchObject({ status: "done", text: "ok" });
      const [asked] = ofType(absent.requests[1]!, "function_call");
      expect(outputs(absent.requests[1])).toEqual({
        [String(asked!["call_id"])]: "Error: Tool 'get_weather' not found.",
      });
    }),
  );

for (const { stream, answer } of bothWays("openai-custom-tool.1"))
  test(
    `openai-custom-tool, streamed ${stream}: a call of free text is answered by an output of its own kind`,
    recorded(async () => {
      const { run, requests } = await world([answer(), ending(stream)], {
        tools: [tool("write_sql", () => "ran")],
        settings: { stream },
      });
      expect(await run("sql")).toMatchObject({ status: "done", text: "ok" });

      const [request] = requests.slice(1) as [Request];
      expect(ofType(request, "custom_tool_call")).toMatchObject([
        { call_id: "call_custom_sql_001", input: "SELECT * FROM users WHERE age > 25" },
      ]);
      expect(ofType(request, "custom_tool_call_output")).toMatchObject([
        { call_id: "call_custom_sql_001", output: expect.stringMatching(/^Error: .*JSON/s) },
      ]);
      expect(ofType(request, "function_call_output")).toEqual([]);
    }),
  );

for (const { stream, answer } of bothWays("openai-phase.1"))
  test(
    `openai-phase, streamed ${stream}: messages go back with the phase they had`,
    recorded(async () => {
      const { run, requests } = await world([answer(), ending(stream)], { settings: { stream } });
      expect(await run("news?")).toMatchObject({
        status: "done",
        text: expect.stringContaining("latest AI"),
      });
      await run("more?");

      const sent = ofType(requests[1]!, "message").filter(({ role }) => role === "assistant");
      expect(sent.map(({ phase }) => phase)).toEqual(["commentary", "final_answer"]);
      expect(sent.map(({ content }) => content)).toEqual(
        body("openai-phase.1").output.map(({ content }) => content),
      );
    }),
  );

for (const stream of [false, true])
  test(
    `openai-reasoning-encrypted-content, streamed ${stream}: sealed reasoning stands before its message in the next request`,
    recorded(async () => {
      const given = body("openai-reasoning-encrypted-content.1");
      const first = stream ? streamOf(given) : { body: given };
      const { run, requests } = await world([first, ending(stream)], {
        settings: { stream, reasoning: { effort: "high" } },
      });
      expect(await run("calculate")).toMatchObject({
        status: "done",
        text: expect.stringContaining("Final result: 570"),
      });
      await run("and twice that?");

      const { input } = requests[1]!;
      expect(input.map(({ type }) => type)).toEqual(["message", "reasoning", "message", "message"]);
      expect(input[1]!["encrypted_content"]).toBe(given.output[0]!["encrypted_content"]);
      expect(requests[1]).toMatchObject({ include: ["reasoning.encrypted_content"] });
    }),
  );

for (const stream of [false, true])
  test(
    `thinking_with_modified_history, streamed ${stream}: reasoning keeps its message, and a refusal of it does not end the turn`,
    recorded(async () => {
      const list = exchanges("test_openai_responses_thinking_with_modified_history");
      const answers = list.map(({ status, response: given }): Answer =>
        stream && status === 200 ? streamOf(given as Body) : { status, body: given },
      );
      const { run, requests } = await world(answers, {
        settings: { stream, reasoning: { effort: "low", summary: "detailed" } },
      });
      expect(await run("What is the meaning of life?")).toMatchObject({ status: "done" });
      // The server refuses a reasoning item without the item that follows it, so the request is made again without reasoning.
      expect(await run("Anything to add?")).toMatchObject({ status: "done" });

      const types = requests.map(({ input }) => input.slice(0, 3).map(({ type }) => type));
      expect(types).toEqual([
        ["message"],
        ["message", "reasoning", "message"],
        ["message", "message", "message"],
      ]);
    }),
  );

// After all tests, because they run in any order: a recording that none of them plays shows nothing.
// oxlint-disable-next-line no-empty-pattern -- Vitest takes fixtures only as a pattern
afterAll(({}, { tasks }) => {
  const isWhole = isThere && tasks.every(({ mode }) => mode === "run");
  if (isWhole) expect(readdirSync(folder).filter((file) => !used.has(file))).toEqual([]);
});
