import { expect, test } from "vitest";
import { mayBecomeCall, readTextCalls } from "../../src/models/text-calls.ts";

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
  ["an answer without arguments", '{"name": "look"}'],
  ["arguments that are no object", '{"name": "look", "arguments": [1]}'],
  ["half a call", `<tool_call>${json.slice(0, -4)}`],
  ["words", "The sky is blue."],
  ["nothing", ""],
])("leaves %s as it is", (_, text) => {
  expect(readTextCalls(text, offered)).toBeNull();
});

test("a long text that never ends a tag is read in time that grows with its length", () => {
  for (const begins of ["<tool_call>", "<function=look>", "[TOOL_CALLS]", "<|python_tag|>"])
    expect(readTextCalls(begins.repeat(20_000) + "{".repeat(50_000), offered)).toBeNull();
});
