import { expect, test } from "vitest";
import type { ModelItem, ModelPart } from "@toolmount/interop";
import { looksLikeCall, mayBecomeCall, readTextCalls, withTextCalls } from "../../src/models/text-calls.ts";
import { withThoughts } from "../../src/models/text-thoughts.ts";

const properties = {
  city: { type: "string" },
  days: { type: "integer" },
  exact: { type: ["boolean", "null"] },
};
const offered = new Map([
  ["look", {}],
  ["get_weather", { type: "object", properties }],
]);
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

/** The forms of other families of models, each with the same call. */
const families: readonly (readonly [string, string])[] = [
  [
    "Qwen3-Coder",
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
  ],
  [
    "Qwen3-Coder without its outer tag",
    "<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>3</parameter>\n</function>\n</tool_call>",
  ],
  [
    "GLM",
    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
  ],
  [
    "DeepSeek V3.1",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Paris","days":3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    "DeepSeek V3",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city":"Paris","days":3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    "Kimi K2",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Paris","days":3}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    "MiniMax",
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    "gpt-oss",
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris","days":3}<|call|>',
  ],
  [
    "Hermes without an end",
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
  ],
  ["Gemma", '```tool_code\nget_weather(city="Paris", days=3)\n```'],
  ["Gemma, printed", "```tool_code\nprint(get_weather(city='Paris', days=3))\n```"],
  ["Mistral", '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}'],
  ["Llama 4", '[get_weather(city="Paris", days=3)]'],
];

test.each(families)("reads the call of %s, and says so when a part of it is gone", (_, text) => {
  const calls = [{ name: "get_weather", arguments: '{"city":"Paris","days":3}' }];
  expect(readTextCalls(text, offered)).toEqual({ text: "", calls });
  expect(mayBecomeCall(text.slice(0, 3))).toBe(true);
  // A call runs only with what the model wrote: no beginning of a call is a call with less.
  for (let length = 1; length < text.length; length++) {
    const read = readTextCalls(text.slice(0, length), offered);
    if (read !== null) expect(read, text.slice(0, length)).toEqual({ text: "", calls });
  }
});

test.each([
  ["<function=get_weather>\n<parameter=city>\nParis</parameter> and\n</function>", true],
  ["<tool_call>{'name': 'get_weather'}</tool_call>", true],
  ['<tool_call>{"name": "get_weather", "arguments": {"city": "Pa', true],
  ["<tool_call>{'name': 'rm'}</tool_call>", false],
  ["Write <tool_call>{'name': 'get_weather'}</tool_call> to call it.", false],
  ["get_weather is a tool.", false],
  ["<think><tool_call>get_weather</tool_call></think>No.", false],
])("%j looks like a call that cannot be read: %s", async (text, isOne) => {
  expect(readTextCalls(text, offered)).toBeNull();
  expect(looksLikeCall(text, offered)).toBe(isOne);
  const parts = await partsOf([text], [message(text)]);
  expect(parts.at(-1)).toMatchObject({ incomplete: isOne ? "unread_call" : null, items: [message(text)] });
  expect(parts[0]).toMatchObject({ text });
});

test("a value of another type than the text's is read by the schema, and else stays a text", () => {
  const call = (pairs: string) => `<tool_call>get_weather\n${pairs}</tool_call>`;
  const pair = (key: string, value: string) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`;
  const read = (pairs: string) => readTextCalls(call(pairs), offered)?.calls[0]?.arguments;
  expect(read(pair("city", "3") + pair("days", "3") + pair("exact", "null"))).toBe(
    '{"city":"3","days":3,"exact":null}',
  );
  expect(read(pair("days", "three") + pair("other", "[1]"))).toBe('{"days":"three","other":"[1]"}');
  expect(read(pair("city", "a") + pair("city", "b"))).toBeUndefined();
});

test.each([
  [
    '[look(id="a\\"b", n=-1.5, l=[1, {"x": None}], t=True)]',
    { id: 'a"b', n: -1.5, l: [1, { x: null }], t: true },
  ],
  ["[look(id='it\\'s \"so\"')]", { id: 'it\'s "so"' }],
  ["[look()]", {}],
])("reads literals as Python has them: %s", (text, given) => {
  expect(readTextCalls(text, offered)?.calls).toEqual([{ name: "look", arguments: JSON.stringify(given) }]);
});

test.each([
  "[look(1)]",
  "[look(id=x)]",
  "[look(id=1) and more]",
  "[look(id=0x10)]",
  '[look(id="a" + "b")]',
  "[look(id=90071992547409931)]",
  `[look(id=${"[".repeat(5_000)})]`,
  '[look(id="\\x41")]',
])("leaves what is no literal of Python as it is: %s", (text) => {
  expect(readTextCalls(text, offered)).toBeNull();
});

test.each([1, 3, 100])("a thought in a tag is reasoning, in pieces of %s characters", async (size) => {
  const text = "<think>secret </plan></think>\n\nThe answer.";
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g"))!;
  const items = [message(text)] as unknown as readonly ModelItem[];
  const given = [
    ...pieces.map((piece) => ({ type: "text", index: 0, text: piece })),
    { type: "item", index: 0, item: items[0] },
    { type: "finish", items, incomplete: null },
  ] as unknown as ModelPart[];
  const read: ModelPart[] = [];
  for await (const part of withThoughts(given, "p")) read.push(part);
  const said = (type: string) =>
    read.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
  expect([said("reasoning"), said("text")]).toEqual(["secret </plan>", "The answer."]);
  const provider_metadata = { provider: "p", metadata: {} };
  expect(read.at(-1)).toMatchObject({
    items: [
      { type: "reasoning", summary: [{ type: "summary_text", text: "secret </plan>" }], provider_metadata },
      message("The answer."),
    ],
  });
});

test.each(["<b>bold</b>", "<thinking>", "I <think>so</think>", "<thi", ""])(
  "%j is no thought",
  async (text) => {
    const given = [
      { type: "text", index: 0, text },
      { type: "item", index: 0, item: message(text) },
      { type: "finish", items: [message(text)], incomplete: null },
    ] as unknown as ModelPart[];
    const read: ModelPart[] = [];
    for await (const part of withThoughts(given, "p")) read.push(part);
    expect(read).toEqual(text === "" ? given.slice(1) : given);
  },
);

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

test("arguments that are too deep to be written as JSON again are no call", () => {
  const deep = `{"name":"look","arguments":{"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
  for (const text of [deep, `<tool_call>${deep}</tool_call>`])
    expect(readTextCalls(text, offered)).toBeNull();
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
