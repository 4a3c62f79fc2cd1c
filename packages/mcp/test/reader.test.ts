import { describe, expect, test } from "vitest";
import { callResultOf, takeNotes, unreadableText, WireReader } from "../src/reading/reader.ts";

const line = (value: unknown) => JSON.stringify(value);
const text = (value: string) => ({ type: "text", text: value });

/** A reader with requests in flight, and the sentences that it says. */
function world(asked: Record<number, string> = { 1: "tools/call" }, isLegacy = true) {
  const said: string[] = [];
  const reader = new WireReader((sentence) => said.push(sentence));
  if (isLegacy) {
    reader.sent({ jsonrpc: "2.0", id: 0, method: "initialize" });
    reader.read(line({ jsonrpc: "2.0", id: 0, result: {} }));
    said.length = 0;
  }
  for (const [id, method] of Object.entries(asked)) reader.sent({ jsonrpc: "2.0", id: Number(id), method });
  return { reader, said };
}

/** What the SDK gets of the answer to one request of a method, and what was said about it. */
function answer(method: string, result: unknown, isLegacy = true) {
  const { reader, said } = world({ 1: method }, isLegacy);
  const [message] = reader.read(line({ jsonrpc: "2.0", id: 1, result }));
  return { result: (message as { result?: Record<string, unknown> } | undefined)?.result, said };
}

/** A definition as it is listed beside another tool. */
function listed(members: object, isLegacy = true) {
  const ok = { name: "ok", inputSchema: { type: "object" } };
  const u = { name: "u", inputSchema: { type: "object" }, ...members };
  const { result, said } = answer("tools/list", { tools: [ok, u] }, isLegacy);
  const [first, ...others] = result!["tools"] as object[];
  expect(first).toEqual(ok);
  return { tool: others[0], said };
}

describe("an odd member of a definition costs that member", () => {
  const object = { type: "object" };
  const plain = { name: "u", inputSchema: object };

  test.each<[string, object, object, string[]]>([
    [
      "members that are null",
      {
        description: null,
        title: null,
        icons: null,
        _meta: null,
        execution: null,
        annotations: null,
        outputSchema: null,
      },
      plain,
      [],
    ],
    [
      "a hint that is null",
      { annotations: { readOnlyHint: null, title: "U" } },
      { ...plain, annotations: { title: "U" } },
      [],
    ],
    [
      "a hint that is a text",
      { annotations: { readOnlyHint: "true" } },
      { ...plain, annotations: { readOnlyHint: true } },
      [],
    ],
    [
      "a hint of another kind",
      { annotations: { readOnlyHint: [] } },
      { ...plain, annotations: {} },
      ["its readOnlyHint is a list; left out"],
    ],
    [
      "a few characters without width in a description",
      {
        description: "How \u200bto",
        inputSchema: { type: "object", properties: { a: { description: "the \ufeffid" } } },
      },
      {
        ...plain,
        description: "How to",
        inputSchema: { type: "object", properties: { a: { description: "the id" } } },
      },
      [
        'it has a text with hidden characters (1 without width), "How to"; they are left out',
        'its schema has a text with hidden characters (1 without width), "the id"; they are left out',
      ],
    ],
    [
      "many of them, which may be a message",
      { description: `a${"\u200b".repeat(9)}` },
      { ...plain, description: `a${"\u200b".repeat(9)}` },
      [],
    ],
    ["a title that is a number", { title: 5 }, { ...plain, title: "5" }, []],
    [
      "icons of which one has no address",
      { icons: [{ src: "a" }, {}] },
      { ...plain, icons: [{ src: "a" }] },
      ["icon 2: it is not what the protocol describes; left out"],
    ],
    [
      "an unknown task support",
      { execution: { taskSupport: "maybe" } },
      { ...plain, execution: {} },
      ['its taskSupport is the text "maybe"; left out'],
    ],
    ["_meta that is a list", { _meta: [] }, plain, ["its _meta is a list; left out"]],
    ["no schema", { inputSchema: null }, plain, ["its schema has no type; taken as an object"]],
    [
      "a schema without a type",
      { inputSchema: { anyOf: [object] } },
      { ...plain, inputSchema: { type: "object", anyOf: [object] } },
      ["its schema has no type; taken as an object"],
    ],
    ["a schema of several types", { inputSchema: { type: ["object", "null"] } }, plain, []],
    [
      "a schema that is a list",
      { inputSchema: [] },
      plain,
      ["its schema is no object; any arguments are passed on"],
    ],
    [
      "properties as a list",
      { inputSchema: { ...object, properties: [] } },
      { ...plain, inputSchema: { ...object, properties: {} } },
      [],
    ],
    ["keywords that are null", { inputSchema: { ...object, properties: null, required: null } }, plain, []],
    [
      "a property that is null",
      { inputSchema: { ...object, properties: { a: null } } },
      { ...plain, inputSchema: { ...object, properties: { a: {} } } },
      [],
    ],
    [
      "null where it is a value",
      { inputSchema: { ...object, properties: { a: { const: null, default: null, enum: [null] } } } },
      {
        ...plain,
        inputSchema: { ...object, properties: { a: { const: null, default: null, enum: [null] } } },
      },
      [],
    ],
    [
      "an enum without values",
      { inputSchema: { ...object, properties: { a: { enum: [] } } } },
      { ...plain, inputSchema: { ...object, properties: { a: {} } } },
      ['its schema has "enum": [], which JSON Schema does not allow there; left out'],
    ],
    [
      "a type of another language",
      { inputSchema: { ...object, properties: { a: { type: "int" }, b: { type: ["str", "null"] } } } },
      {
        ...plain,
        inputSchema: { ...object, properties: { a: { type: "integer" }, b: { type: ["string", "null"] } } },
      },
      [],
    ],
    [
      "a pattern of another language",
      { inputSchema: { ...object, properties: { a: { pattern: "(?i)a++" } } } },
      { ...plain, inputSchema: { ...object, properties: { a: {} } } },
      ['its schema has "pattern": "(?i)a++", which JSON Schema does not allow there; left out'],
    ],
    [
      "required as draft-03 has it",
      { inputSchema: { ...object, properties: { a: { required: true } } } },
      { ...plain, inputSchema: { ...object, properties: { a: {} } } },
      ['its schema has "required": true, which JSON Schema does not allow there; left out'],
    ],
    [
      "references to parts that it does not have",
      {
        inputSchema: {
          ...object,
          properties: {
            a: { $ref: "#/$defs/A", title: "A" },
            b: { $ref: "#/$defs/B" },
            $ref: { items: { $ref: "x.json" } },
          },
          $defs: { B: { type: "string" } },
        },
      },
      {
        ...plain,
        inputSchema: {
          ...object,
          properties: { a: { title: "A" }, b: { $ref: "#/$defs/B" }, $ref: { items: {} } },
          $defs: { B: { type: "string" } },
        },
      },
      [
        'its schema refers to "#/$defs/A", which it does not have; any value is passed on there',
        'its schema refers to "x.json", which it does not have; any value is passed on there',
      ],
    ],
    [
      "an outputSchema without its parts",
      { outputSchema: { ...object, properties: { a: { $ref: "#/$defs/A" } } } },
      plain,
      ['its outputSchema refers to "#/$defs/A", which it does not have; left out'],
    ],
    [
      "an outputSchema of a list, before 2026",
      { outputSchema: { type: "array" } },
      plain,
      ['its outputSchema has the type "array", which no result has; left out'],
    ],
    [
      "an outputSchema without a type",
      { outputSchema: { anyOf: [object] } },
      { ...plain, outputSchema: { type: "object", anyOf: [object] } },
      [],
    ],
    [
      "members that the protocol does not have",
      { vendor: { a: null } },
      { ...plain, _meta: { "dev.toolmount/members": { vendor: { a: null } } } },
      [],
    ],
  ])("%s", (_, members, tool, said) => {
    expect(listed(members)).toEqual({ tool, said: said.map((sentence) => `tool "u": ${sentence}`) });
  });

  test("a definition without faults is as the server said it", () => {
    const outputSchema = { type: "array", items: { $ref: "#/$defs/A" }, $defs: { A: { type: "string" } } };
    const given = { ...plain, title: "U", outputSchema, annotations: { readOnlyHint: true } };
    expect(listed(given, false)).toEqual({ tool: given, said: [] });
  });

  test("a tool without a name is left out, and a list that is one tool has it", () => {
    const { result, said } = answer("tools/list", {
      tools: [{ inputSchema: object }, null, plain],
      nextCursor: null,
    });
    expect(result).toEqual({ tools: [plain] });
    expect(said).toEqual([1, 2].map((at) => `tool ${at}: it is not what the protocol describes; left out`));
    expect(answer("tools/list", { tools: plain }, false).result).toEqual({
      tools: [plain],
      ttlMs: 0,
      cacheScope: "private",
    });
    expect(answer("tools/list", null).result).toEqual({ tools: [] });
  });
});

describe("each item of another list is judged alone", () => {
  test.each<[string, object, object]>([
    [
      "prompts/list",
      {
        prompts: [
          { name: "a", arguments: null },
          { name: "b", arguments: [{ name: "x", required: "true" }, 5] },
        ],
      },
      { prompts: [{ name: "a" }, { name: "b", arguments: [{ name: "x", required: true }] }] },
    ],
    [
      "resources/list",
      {
        resources: [
          { uri: "x://a" },
          { name: "no address" },
          { uri: "x://b", name: "b", size: "5", annotations: { priority: 2 } },
        ],
      },
      {
        resources: [
          { name: "x://a", uri: "x://a" },
          { name: "b", uri: "x://b", annotations: {} },
        ],
      },
    ],
    [
      "resources/templates/list",
      { resourceTemplates: [{ uriTemplate: "x://{a}" }] },
      { resourceTemplates: [{ name: "x://{a}", uriTemplate: "x://{a}" }] },
    ],
    [
      "resources/read",
      {
        contents: [
          { uri: "x://a", text: null },
          { uri: "x://b", blob: "-_-_" },
        ],
      },
      {
        contents: [
          { text: "", uri: "x://a" },
          { uri: "x://b", blob: "+/+/" },
        ],
      },
    ],
    [
      "prompts/get",
      { description: null, messages: [{ role: "system", content: "hi" }] },
      { messages: [{ role: "user", content: text("hi") }] },
    ],
    [
      "completion/complete",
      { completion: { values: ["a", 5], total: null } },
      { completion: { values: ["a", "5"] } },
    ],
    ["ping", { ok: true }, {}],
  ])("of %s", (method, given, expected) => {
    expect(answer(method, given).result).toEqual(expected);
  });
});

describe("what a server says of itself", () => {
  test.each<[string, object, object]>([
    [
      "nothing",
      {},
      {
        protocolVersion: "2025-03-26",
        capabilities: { tools: {} },
        serverInfo: { name: "unknown", version: "unknown" },
      },
    ],
    [
      "null for most",
      {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: null }, prompts: null },
        serverInfo: { name: "s", version: null },
        instructions: null,
      },
      {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "unknown" },
      },
    ],
    [
      "true for a capability",
      { capabilities: { tools: true, logging: false, vendor: 5 }, serverInfo: { name: "s", version: 1 } },
      {
        protocolVersion: "2025-03-26",
        capabilities: { tools: {}, vendor: {} },
        serverInfo: { name: "s", version: "1" },
      },
    ],
  ])("%s", (_, given, expected) => {
    expect(answer("initialize", given).result).toEqual(expected);
  });
});

describe("a call that ran has its answer, whatever its form", () => {
  /** What this package reads of the answer. */
  const read = (result: unknown, isLegacy = true) => {
    const taken = takeNotes(callResultOf(answer("tools/call", result, isLegacy).result as { _meta?: {} }));
    return [taken.result, taken.notes.length];
  };
  const sent = text("sent as 42");

  test.each<[string, unknown, object, number]>([
    [
      "blocks with members that are null",
      {
        content: [{ ...sent, annotations: null, _meta: null }],
        isError: null,
        structuredContent: null,
        _meta: null,
      },
      { content: [sent] },
      0,
    ],
    [
      "a block of an unknown type",
      { content: [sent, { type: "vendor/chart", data: 1 }] },
      { content: [sent, text('{"type":"vendor/chart","data":1}')] },
      1,
    ],
    [
      "a block of an unknown type with a text",
      { content: [{ type: "error", text: "no" }], isError: "true" },
      { content: [text("no")], isError: true },
      1,
    ],
    ["a text that is a number", { content: [{ type: "text", text: 42 }] }, { content: [text("42")] }, 0],
    ["content as a text", { content: "plain" }, { content: [text("plain")] }, 0],
    ["content as one block", { content: sent }, { content: [sent] }, 0],
    ["no content", { result: "old" }, { result: "old", content: [text('{"result":"old"}')] }, 1],
    ["nothing", {}, { content: [] }, 0],
    ["a list", [1], { content: [text("[1]")] }, 2],
    ["a text", "done", { content: [text("done")] }, 1],
    [
      "structured content that is a list",
      { content: [sent], structuredContent: [1] },
      { content: [sent], structuredContent: [1] },
      0,
    ],
    [
      "only structured content",
      { structuredContent: { a: 1 } },
      { content: [], structuredContent: { a: 1 } },
      0,
    ],
    [
      "a picture as a data URL",
      { content: [{ type: "image", data: "data:image/png;base64,iVBORw0KGgo=" }] },
      { content: [{ mimeType: "image/png", type: "image", data: "iVBORw0KGgo=" }] },
      0,
    ],
    [
      "a picture in the alphabet of URLs, in lines",
      { content: [{ type: "image", data: "-_-\n_", mimeType: "image/png" }] },
      { content: [{ type: "image", data: "+/+/", mimeType: "image/png" }] },
      0,
    ],
    [
      "a picture that is not base64",
      { content: [{ type: "image", data: "%", mimeType: "image/png" }] },
      { content: [text('{"type":"image","data":"%","mimeType":"image/png"}')] },
      2,
    ],
    [
      "a link without a name",
      { content: [{ type: "resource_link", uri: "x://1" }] },
      { content: [{ type: "resource_link", name: "x://1", uri: "x://1" }] },
      0,
    ],
    [
      "a resource without content",
      { content: [{ type: "resource", resource: { uri: "x://1" } }] },
      { content: [{ type: "resource", resource: { text: "", uri: "x://1" } }] },
      0,
    ],
  ])("%s", (_, given, expected, notes) => {
    expect(read(given)).toEqual([expected, notes]);
  });

  test("structured content of 2026 may be any value", () => {
    for (const structuredContent of [5, null, "a", [1]])
      expect(read({ resultType: "complete", content: [], structuredContent }, false)).toEqual([
        { resultType: "complete", content: [], structuredContent },
        0,
      ]);
  });

  test("a number that JavaScript would change keeps its digits, and is named", () => {
    const { reader } = world();
    const [message] = reader.read(
      '{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":12345678901234567890}}}',
    );
    const { result, notes } = takeNotes(
      callResultOf((message as unknown as { result: { _meta?: {} } }).result),
    );
    expect(result).toEqual({ content: [], structuredContent: { id: "12345678901234567890" } });
    expect(notes).toEqual([
      "result.structuredContent.id is a number that JavaScript would change; it is read as a text",
    ]);
  });

  test("what is no end of a call stays as it is", () => {
    for (const result of [{ resultType: "input_required", inputRequests: {} }, { task: { taskId: "t" } }])
      expect(answer("tools/call", result).result).toEqual(result);
  });
});

describe("an answer is paired with its request, whatever its form", () => {
  const pong = { jsonrpc: "2.0", id: 1, result: {} };
  const failed = (message: string, code = -32_603) => ({ jsonrpc: "2.0", id: 1, error: { code, message } });

  test.each<[string, string, object]>([
    ["without jsonrpc", '{"id":1,"result":{}}', pong],
    ["with an error that is null", '{"jsonrpc":"2.0","id":1,"result":{},"error":null}', pong],
    ["with an id as a text", '{"jsonrpc":"2.0","id":"1","result":{}}', pong],
    [
      "with an id that is null",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}',
      failed("no", -1),
    ],
    ["with an error that is a text", '{"jsonrpc":"2.0","id":1,"error":"no"}', failed("no")],
    [
      "with an error without a message",
      '{"jsonrpc":"2.0","id":1,"error":{"code":"-5"}}',
      failed('{"code":"-5"}', -5),
    ],
    ["without an id, if only one request waits", '{"jsonrpc":"2.0","result":{}}', pong],
    ["without a result, where it would be empty", '{"jsonrpc":"2.0","id":1}', pong],
    ["with an error that says there is none", '{"jsonrpc":"2.0","id":1,"result":{},"error":false}', pong],
    ["with the method of its request", '{"jsonrpc":"2.0","id":1,"result":{},"method":"ping"}', pong],
    ["with a result that is null", '{"jsonrpc":"2.0","id":1,"result":null}', pong],
    ["in a list", '[{"jsonrpc":"2.0","id":1,"result":{}}]', pong],
    ["behind a mark of byte order", '\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}', pong],
    ["behind other words", 'Loading 100%\r{"jsonrpc":"2.0","id":1,"result":{}}', pong],
    ["with a number that JSON does not have", '{"jsonrpc":"2.0","id":1,"result":{},"a":[NaN,"NaN"]}', pong],
  ])("%s", (_, given, expected) => {
    const { reader } = world({ 1: "ping" });
    expect(reader.readLine(given)).toEqual([expected]);
  });

  test("over several lines", () => {
    const { reader } = world({ 1: "ping" });
    const lines = JSON.stringify(pong, null, 2).split("\n");
    expect(lines.map((one) => reader.readLine(one))).toEqual([...lines.slice(1).map(() => []), [pong]]);
  });

  test("a line that is not JSON ends the call that it would answer", () => {
    const { reader } = world();
    const broken = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"cut';
    const [message] = reader.readLine(broken)! as unknown as [{ id: number; error: { data: unknown } }];
    expect([message.id, unreadableText(message.error.data)]).toEqual([1, broken]);
    expect(reader.readLine(broken)).toBeUndefined();
  });

  test("an answer to a call without a result is unreadable at once", () => {
    const given = '{"jsonrpc":"2.0","id":1,"content":[{"type":"text","text":"sent"}]}';
    const [message] = world().reader.readLine(given)! as unknown as [
      { error: { message: string; data: unknown } },
    ];
    expect(message.error.message).toBe("the server's answer has no result");
    expect(unreadableText(message.error.data)).toContain("sent");
  });

  test.each([
    ["starting"],
    [""],
    ["[]"],
    ["null"],
    ["{}"],
    ['{"level":"error","error":"disk"}'],
    ['{"jsonrpc":"2.0"}'],
    ['{"jsonrpc":"2.0","id":5}'],
    ['{"result":"stored"}'],
    ['{"jsonrpc":"2.0","method":1}'],
    ['{"jsonrpc":"2.0","id":'],
    ["}"],
  ])("%j is no message", (given) => {
    expect(world().reader.readLine(given)).toBeUndefined();
  });

  test("of several calls, none is answered by an id that is null", () => {
    const { reader } = world({ 1: "ping", 2: "ping" });
    const given = line({ jsonrpc: "2.0", id: null, error: { code: 1, message: "no" } });
    expect(reader.read(given)).toEqual([]);
    expect(reader.read(given, 2)).toMatchObject([{ id: 2 }]);
    expect(reader.read(given)).toMatchObject([{ id: 1 }]);
  });
});

test("what a server reports while it works has no members that are null", () => {
  const { reader } = world();
  const report = (method: string, params: unknown) => {
    const [message] = reader.read(line({ method, params }));
    return (message as { params?: unknown }).params;
  };
  expect(report("notifications/progress", { progressToken: "1", progress: 1, total: null })).toEqual({
    progressToken: "1",
    progress: 1,
  });
  expect(report("notifications/message", { level: "trace", data: "a", logger: null })).toEqual({
    level: "info",
    data: "a",
  });
  expect(report("notifications/tools/list_changed", null)).toBeUndefined();
});

test("a body and an event are rewritten, and other texts stay as they are", () => {
  const message = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const rewrite = (given: string) => world({ 1: "ping" }).reader.rewrite(given);
  expect(rewrite('{"id":1,"result":null}')).toBe(message);
  expect(rewrite('event: message\nid: 7\ndata: {"id":1,\ndata: "result":null}\n\n')).toBe(
    `event: message\nid: 7\ndata: ${message}\n\n`,
  );
  for (const other of [
    "",
    "<html>",
    ": hi\n\n",
    "event: endpoint\ndata: /messages\n\n",
    '{"error":"invalid_token"}',
  ])
    expect(rewrite(other)).toBe(other);
});

describe("a value that is nested deeper than a stack can walk", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const answerOf = (method: string, members: string) => {
    const { reader, said } = world({ 1: method });
    return { said, messages: reader.read(`{"jsonrpc":"2.0","id":1,${members}}`) };
  };

  test.each(["description", "inputSchema", "annotations", "_meta", "other"])(
    "costs the tool that has it in its %s, and no other",
    (member) => {
      const tools = `[{"name":"u","${member}":${deep(100_000)}},{"name":"ok","inputSchema":{"type":"object"}}]`;
      const { said, messages } = answerOf("tools/list", `"result":{"tools":${tools}}`);
      expect(messages).toMatchObject([{ result: { tools: [{ name: "ok" }] } }]);
      expect(said).toEqual(['tool "u": it is nested deeper than 1000 levels; left out']);
    },
  );

  test.each([
    ["tools/call", `"result":{"content":${deep(100_000)}}`],
    ["tools/call", `"result":{"content":[{"type":"text","text":${deep(100_000)}}]}`],
    ["tools/call", `"result":{"content":[],"structuredContent":{"a":${deep(100_000)}}}`],
    ["tools/call", `"error":{"code":1,"message":${deep(100_000)}}`],
    ["prompts/get", `"result":{"messages":[],"other":${deep(100_000)}}`],
  ])("ends the call of %s with an answer that is not read", (method, members) => {
    const { messages } = answerOf(method, members);
    const [message] = messages as readonly { error?: { message: string; data: unknown } }[];
    expect(message?.error?.message).toBe("the server's answer is nested deeper than 1000 levels");
    expect(unreadableText(message?.error?.data)).toBe("");
  });

  test("is read below that", () => {
    const { messages } = answerOf(
      "tools/call",
      `"result":{"content":[],"structuredContent":{"a":${deep(900)}}}`,
    );
    expect(messages).toMatchObject([{ result: {} }]);
    expect(answerOf("initialize", `"result":{"instructions":${deep(100_000)}}`).messages).toHaveLength(1);
  });
});
