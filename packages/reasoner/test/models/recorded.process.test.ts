import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { type AiSdkLanguageModel, createAiSdkModel, type ModelProvider } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { tool, world, type Answer } from "../support/world.ts";

/** Traffic of real servers, recorded by others; it is not part of this repository. */
const folder = join(import.meta.dirname, "../../../../../shared/fixtures");
const isThere = existsSync(folder);

interface Exchange {
  readonly status: number;
  readonly request: { readonly tools?: readonly { readonly name: string }[] };
  readonly response?: unknown;
  readonly stream?: string;
}

const read = (path: string) => readFileSync(join(folder, path), "utf8");
const parse = (path: string): unknown => JSON.parse(read(path));
const lines = (path: string): object[] =>
  read(path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

/** The recorded answers of one file, streamed or not, and the tools that they call. */
interface Recording {
  readonly answers: readonly Answer[];
  readonly tools: readonly string[];
  readonly stream: boolean;
}

function readRecording(path: string): Recording {
  if (path.endsWith(".exchanges.json")) return readExchanges(parse(path) as Exchange[]);
  if (!path.endsWith(".chunks.txt")) return recordingOf([answerOf(parse(path))], false);
  // One file has several answers, one after the other.
  const events = lines(path) as { readonly type: string }[];
  const starts = events.flatMap(({ type }, at) =>
    type === "response.created" || type === "message_start" ? [at] : [],
  );
  const streams = starts.map((from, at): Answer => ({ stream: events.slice(from, starts[at + 1]) }));
  return recordingOf(streams.length === 0 ? [{ stream: events }] : streams, true);
}

/** A recorded body has no status; that of an error follows from its code. */
function answerOf(body: unknown): Answer {
  const { error } = body as { readonly error?: { readonly code?: string } | null };
  if (error === undefined || error === null) return { body };
  return { body, status: error.code === "insufficient_quota" ? 429 : 400 };
}

function readExchanges(list: readonly Exchange[]): Recording {
  const answers = list.map(({ status, response: body, stream }): Answer =>
    stream === undefined ? { status, body } : { stream },
  );
  const made = recordingOf(
    answers,
    list.some(({ stream }) => stream !== undefined),
  );
  const offered = list.flatMap(({ request }) => request.tools?.map(({ name }) => name) ?? []);
  return { ...made, tools: [...new Set([...made.tools, ...offered])] };
}

/** Names of tools are in the calls of the answers. */
function recordingOf(answers: readonly Answer[], stream: boolean): Recording {
  const text = JSON.stringify(answers).replaceAll('\\"', '"');
  const names = [...text.matchAll(/"name":"([a-z]\w*)"/g)].map(([, name]) => name!);
  return { answers, tools: [...new Set(names)], stream };
}

/** The turn that a recording makes: its calls, its text, its end, its usage. */
async function play({ answers, tools, stream }: Recording, provider?: ModelProvider["open"]) {
  const made = await world(answers, {
    tools: tools.map((name) => tool(name, () => `answer of ${name}`)),
    // A single recorded answer with calls has no answer after it.
    settings: { stream, retries: 0, maxIterations: answers.length, ...(provider && { model: "sdk:gpt-5" }) },
  });
  if (provider !== undefined) made.host.coordinator.mount("models", { name: "sdk", open: provider });
  const turn = await made.run("go");
  const { status, text, usage, error } = turn;
  const { items } = await made.reasoner.show("s");
  const calls = items.flatMap(({ type, name, arguments: given }) =>
    type === "function_call" ? [[name, JSON.parse((given as string) || "{}")]] : [],
  );
  const { kind } = (error?.details ?? {}) as { readonly kind?: string };
  return { calls, status, text, usage, code: error?.code, kind };
}

const openai: ModelProvider["open"] = async (model, { baseUrl = "", timeoutMs }) => {
  const language = createOpenAI({ baseURL: baseUrl, apiKey: "k" }).responses(model) as AiSdkLanguageModel;
  return createAiSdkModel(language, { timeoutMs });
};

const anthropic: ModelProvider["open"] = async (model, { baseUrl = "", timeoutMs }) => {
  const language = createAnthropic({ baseURL: baseUrl, apiKey: "k" })(model) as AiSdkLanguageModel;
  return createAiSdkModel(language, { timeoutMs });
};

/** Without the recordings, the title of the one skipped test says so. */
const filesOf = (name: string) =>
  isThere
    ? readdirSync(join(folder, name)).filter((file) => /\.(json|txt)$/.test(file))
    : [`${folder} does not exist`];

/** Free text instead of JSON is a call like any other in the AI SDK; natively it is an item of its own kind. */
const customCalls = [["write_sql", "SELECT * FROM users WHERE age > 25"]];

describe.skipIf(!isThere)("recordings of the Responses API", () => {
  test.for(filesOf("responses"))(
    "%s: a turn through @ai-sdk/openai has the calls, text, usage and error of the native client",
    async (file) => {
      const recording = readRecording(`responses/${file}`);
      const native = await play(recording);
      const adapted = await play(recording, openai);

      const calls = file.startsWith("openai-custom-tool") ? customCalls : native.calls;
      expect(adapted).toEqual({ ...native, calls });
    },
  );
});

const messages = {
  "anthropic-json-other-tool.1.json": { calls: ["weather"] },
  "anthropic-json-other-tool.1.chunks.txt": { calls: ["weather"] },
  "anthropic-tool-no-args.json": { calls: ["updateIssueList"] },
  "anthropic-tool-no-args.chunks.txt": { calls: ["updateIssueList"] },
  "anthropic-refusal.json": { status: "incomplete", calls: [] },
  "anthropic-text.chunks.txt": { status: "done", calls: [], text: "Hello! I'm doing well" },
  "test_multiple_parallel_tool_calls.exchanges.json": {
    status: "done",
    calls: Array<string>(4).fill("retrieve_entity_info"),
    text: "Daisy is the youngest in the family",
  },
  "test_anthropic_explicit_effort_xhigh_unsupported_model_errors.exchanges.json": {
    status: "failed",
    calls: [],
    kind: "invalid_request",
  },
  // The server's own search before the call is not a call of the host.
  "test_anthropic_native_tool_search_streaming.exchanges.json": {
    status: "done",
    calls: ["get_exchange_rate"],
    text: "1 USD = 0.92 EUR",
  },
} as const;

describe.skipIf(!isThere)("recordings of the Messages API", () => {
  test.for(Object.entries(messages))(
    "%s: a turn through @ai-sdk/anthropic has the calls and the end of the recording",
    async ([file, { calls, ...expected }]) => {
      const adapted = await play(readRecording(`anthropic/${file}`), anthropic);

      expect(adapted.calls.map(([name]) => name)).toEqual(calls);
      const { text, ...end } = { text: "", ...expected };
      expect(adapted).toMatchObject(end);
      expect(adapted.text).toContain(text);
    },
  );

  test("no recording is left unused", () => {
    expect(Object.keys(messages).toSorted()).toEqual(filesOf("anthropic").toSorted());
  });
});
