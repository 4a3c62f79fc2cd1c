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
