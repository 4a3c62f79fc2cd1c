import { expect, test } from "vitest";
import type { ModelItem, ModelPart } from "@toolmount/interop";
import { mayBecomeCall, readTextCalls, withTextCalls } from "../../src/models/text-calls.ts";

const offered = new Set(["look", "get_weather"]);
const look = { name: "look", arguments: '{"id":"n-1"}' };
const json = '{"name": "look", "arguments": {"id": "n-1"}}';

test.each([
  ["Hermes and Qwen", `<tool_call>\n${json}\n</tool_call>`, "", 1],
  [
    "two calls, after words",
    `I look.\n<tool_call>${json}</tool_call>\n<tool_call>\n${json}\n</tool_call>`,
    "I look.",
    2,
  ],
  ["after thoughts", `<think>Hm, <tool_call>?</think>\n<tool_call>${json}</tool_call>`, "", 1],
  ["Mistral, a list", `[TOOL_CALLS] [${json}, ${json}]`, "", 2],
  ["Mistral, a name", '[TOOL_CALLS]look{"id": "n-1"}', "", 1],
  [
    "Llama, a tag",
    '<|python_tag|>{"type": "function", "name": "look", "parameters": {"id": "n-1"}}<|eom_id|>',
    "",
    1,
  ],
  ["Llama, bare", '{"name": "look", "parameters": {"id": "n-1"}}', "", 1],
  ["Llama, a function tag", '<function=look>{"id": "n-1"}</function>', "", 1],
  ["a fence", `\`\`\`json\n${json}\n\`\`\``, "", 1],
  ["a list", `[${json}]`, "", 1],
  ["arguments as text", '{"name": "look", "arguments": "{\\"id\\": \\"n-1\\"}"}', "", 1],
])("reads the call of %s", (_, text, said, count) => {
  expect(readTextCalls(text, offered)).toEqual({
    text: said,
    calls: Array.from({ length: count }, () => look),
  });
  expect(text.startsWith("I") || text.startsWith("<think>") || mayBecomeCall(text.slice(0, 3))).toBe(true);
});

test.each([
  ["a tool that is not offered", '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'],
  [
    "one of two that is not offered",
    `<tool_call>${json}</tool_call><tool_call>{"name":"rm","arguments":{}}</tool_call>`,
  ],
  ["words after a call", `<tool_call>${json}</tool_call> is how one calls it.`],
  ["JSON inside words", `Write ${json} to call it.`],
  ["an answer in JSON", '{"name": "look", "city": "Rome"}'],
  ["an answer in JSON with arguments", '{"name": "look", "arguments": {}, "city": "Rome"}'],
  ["an answer without arguments", '{"name": "look"}'],
  ["arguments that are no object", '{"name": "look", "arguments": [1]}'],
  ["half a call", `<tool_call>${json.slice(0, -4)}`],
  ["a fence that does not end", `\`\`\`json\n${json}...`],
  ["words before the end of a fence", `It is called so:\n${json}\`\`\``],
  ["words", "The sky is blue."],
  ["nothing", ""],
])("leaves %s as it is", (_, text) => {
  expect(readTextCalls(text, offered)).toBeNull();
});

test("a long text that never ends a tag is read in time that grows with its length", () => {
  for (const begins of ["<tool_call>", "<function=look>", "[TOOL_CALLS]", "<|python_tag|>"])
    expect(readTextCalls(begins.repeat(20_000) + "{".repeat(50_000), offered)).toBeNull();
});

/** The parts of an answer that is written in these pieces, and then has these calls of its server. */
function* written(pieces: readonly string[], ...calls: readonly ModelItem[]): Iterable<ModelPart> {
  yield { type: "begin", index: 0, kind: "message" };
  for (const text of pieces) yield { type: "text", index: 0, text };
  for (const item of calls) yield { type: "item", index: 1, item };
  yield { type: "text", index: 2, text: "." };
  const items = [
    { type: "message", content: [{ type: "output_text", text: `${pieces.join("")}.` }] },
    ...calls,
  ];
  yield { type: "finish", items, incomplete: null } as unknown as ModelPart;
}

/** How many parts a reader has, each time that the model has written another one. */
async function progress(parts: Iterable<ModelPart>): Promise<{ seen: number[]; read: ModelPart[] }> {
  const read: ModelPart[] = [];
  const seen: number[] = [];
  const watched = (function* () {
    for (const part of parts) {
      seen.push(read.length);
      yield part;
    }
  })();
  for await (const part of withTextCalls(watched, offered)) read.push(part);
  return { seen, read };
}

test("words are passed on as they come, and text that may be a call is held until that is known", async () => {
  expect((await progress(written(["  ", "The ", "sky"]))).seen).toEqual([0, 1, 1, 3, 4, 5]);
  expect((await progress(written(["<", "b>"]))).seen).toEqual([0, 1, 1, 3, 4]);
  expect((await progress(written(["{", "}"]))).seen).toEqual([0, 1, 1, 1, 1]);
  const call = { type: "function_call", call_id: "c", name: "look", arguments: "{}" } as const;
  expect((await progress(written(["{"], call))).seen).toEqual([0, 1, 1, 3, 4]);
});

test("an answer in JSON of many parts has them all, in time that grows with its length", async () => {
  const parts = [...written(["{", ...Array.from({ length: 40_000 }, () => "word ")])];
  expect((await progress(parts)).read).toEqual(parts);
});

/** What a stream of these texts gives, each time that a part comes. */
async function partsOf(texts: readonly string[], items: readonly object[], incomplete: string | null = null) {
  const given = [
    ...texts.map((text) => ({ type: "text", text })),
    { type: "finish", items, incomplete, usage: null },
  ] as unknown as ModelPart[];
  const out: unknown[] = [];
  for await (const part of withTextCalls(given, offered)) out.push(part);
  return out as { type: string; text?: string; items?: { type: string; call_id?: string }[] }[];
}

const message = (text: string) => ({ type: "message", content: [{ type: "output_text", text }] });
const call = `<tool_call>${json}</tool_call>`;

test("a text that is a call is held back, and becomes a call with an id of its own; reasoning stays before it", async () => {
  const reasoning = { type: "reasoning", id: "r" };
  const parts = await partsOf([call.slice(0, 20), call.slice(20)], [reasoning, message(call)]);

  expect(parts).toEqual([
    {
      type: "finish",
      incomplete: null,
      usage: null,
      items: [
        reasoning,
        { type: "function_call", call_id: expect.stringMatching(/^call_[\da-f-]{36}$/) as string, ...look },
      ],
    },
  ]);
});

test("words before a call are said, in one message of the assistant", async () => {
  const parts = await partsOf([`I look.\n${call}`], [message("I look.\n"), message(call)]);

  expect(parts.at(-1)?.items).toEqual([
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
    expect.objectContaining({ type: "function_call" }),
  ]);
});

test.each<[string, string[], object[], string | null]>([
  ["words", ["The sky", " is blue."], [message("The sky is blue.")], null],
  [
    "a text that only begins as a call",
    ["<tool_", "call> is a tag."],
    [message("<tool_call> is a tag.")],
    null,
  ],
  ["a call of an answer that is not whole", [call], [message(call)], "length"],
  [
    "a call beside one of the API",
    [call],
    [message(call), { type: "function_call", call_id: "c", ...look }],
    null,
  ],
  ["a call beside a custom one", [call], [message(call), { type: "custom_tool_call", call_id: "c" }], null],
  ["a message without content", ["x"], [{ type: "message", content: null }], null],
  ["no text at all", [], [], null],
])("%s reaches the reader as it is, with all its texts", async (_, texts, items, incomplete) => {
  const parts = await partsOf(texts, items, incomplete);

  expect(parts).toEqual([
    ...texts.map((text) => ({ type: "text", text })),
    { type: "finish", items, incomplete, usage: null },
  ]);
});

test("words reach the reader before the answer ends; what may be a call does not", async () => {
  const seen: string[] = [];
  async function* given(texts: readonly string[]): AsyncGenerator<ModelPart> {
    for (const text of texts) {
      yield { type: "text", index: 0, text };
      seen.push(`after ${text}`);
    }
    yield { type: "finish", items: [], incomplete: null, usage: null } as never;
  }
  for await (const part of withTextCalls(given(["The sky", " is"]), offered)) seen.push(part.type);
  expect(seen).toEqual(["text", "after The sky", "text", "after  is", "finish"]);

  seen.length = 0;
  for await (const part of withTextCalls(given(["<tool_", "call>"]), offered)) seen.push(part.type);
  expect(seen).toEqual(["after <tool_", "after call>", "text", "text", "finish"]);
});
