import { isSpecType } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { readBlock, readCallResult } from "../src/reading/content.ts";
import { readClientMessage } from "../src/reading/requests.ts";
import { readParams, readResult } from "../src/reading/results.ts";
import { readInputSchema, readOutputSchema } from "../src/reading/schema.ts";

/** What is read, and the sentences about it. */
function noted<Value>(read: (note: (sentence: string) => void) => Value): { value: Value; said: string[] } {
  const said: string[] = [];
  return { value: read((sentence) => said.push(sentence)), said };
}

const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
const stranger = { protocolVersion: "2025-11-25", clientInfo: { name: "unknown", version: "unknown" } };

describe("what a client sends", () => {
  test.each<[unknown, object]>([
    [call({ name: "t", arguments: '{"a":1}' }), call({ name: "t", arguments: { a: 1 } })],
    [call({ name: "t", arguments: [] }), call({ name: "t" })],
    [call({ name: "t", cursor: null, _meta: { a: null, b: 1 } }), call({ name: "t", _meta: { b: 1 } })],
    [call({ name: "t", _meta: "x" }), call({ name: "t" })],
    [
      { id: "a", method: "ping", params: null },
      { jsonrpc: "2.0", id: "a", method: "ping" },
    ],
    [
      { method: "notifications/initialized", more: 1 },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ],
    [
      { id: 1, result: {}, error: null },
      { jsonrpc: "2.0", id: 1, result: {} },
    ],
    [
      { id: 1, error: { code: 5 } },
      { jsonrpc: "2.0", id: 1, error: { code: 5 } },
    ],
    [
      { id: 1, method: "initialize" },
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { ...stranger, capabilities: {} } },
    ],
    [
      {
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: 7,
          capabilities: { sampling: true, roots: { listChanged: null, x: 1 }, elicitation: false, y: null },
          clientInfo: { name: "c", version: 3, icons: [1, {}, { src: "a" }] },
          more: 1,
        },
      },
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          ...stranger,
          capabilities: { sampling: {}, roots: { x: 1 } },
          clientInfo: { name: "c", version: "3", icons: [{ src: "a" }] },
          more: 1,
        },
      },
    ],
  ])("%j is served", (given, message) => {
    expect(readClientMessage(given)).toEqual({ message });
  });

  test.each<[unknown, string | number | null, number, string]>([
    [[1], null, -32_600, "a message is an object"],
    [{ id: 1 }, 1, -32_600, "the message has no method"],
    [{ id: {}, method: 5 }, null, -32_600, "the message has no method"],
    [{ id: 1.5, method: "ping" }, 1.5, -32_600, "the id of a request is a text or an integer"],
    [{ id: null, method: "ping" }, null, -32_600, "the id of a request is a text or an integer"],
    [{ id: "a", method: "ping", params: [1] }, "a", -32_602, "params is an object"],
    [{ method: "ping", params: 5 }, null, -32_602, "params is an object"],
  ])("%j is refused with its id", (given, id, code, message) => {
    expect(readClientMessage(given)).toEqual({ refusal: { jsonrpc: "2.0", id, error: { code, message } } });
  });
});

describe("what a server answers", () => {
  const tool = { name: "t", inputSchema: { type: "object" } };
  test.each<[string, unknown, boolean, object]>([
    ["tools/list", { tools: [tool, 5, { title: "x" }] }, true, { tools: [tool] }],
    ["tools/list", {}, true, { tools: [] }],
    [
      "tools/list",
      {
        tools: [
          {
            ...tool,
            annotations: { readOnlyHint: "true", destructiveHint: 7 },
            execution: { taskSupport: "no" },
          },
        ],
      },
      true,
      { tools: [{ ...tool, annotations: { readOnlyHint: true }, execution: {} }] },
    ],
    ["tools/list", { tools: [], nextCursor: 5 }, true, { tools: [], nextCursor: "5" }],
    ["tools/list", { tools: [], nextCursor: null }, true, { tools: [] }],
    ["tools/list", { tools: [] }, false, { tools: [], ttlMs: 0, cacheScope: "private" }],
    [
      "tools/list",
      { tools: [], ttlMs: 5.7, cacheScope: "public" },
      false,
      { tools: [], ttlMs: 5, cacheScope: "public" },
    ],
    ["tools/list", { tools: [], ttlMs: -1 }, false, { tools: [], ttlMs: 0, cacheScope: "private" }],
    ["tools/list", { tools: [], _meta: 5 }, true, { tools: [], _meta: {} }],
    ["ping", { more: 1 }, true, {}],
    ["other", { more: null, a: 1 }, true, { a: 1 }],
    ["other", "text", true, {}],
    [
      "resources/list",
      { resources: [{ uri: "a:b", size: "5" }] },
      true,
      { resources: [{ name: "a:b", uri: "a:b" }] },
    ],
    [
      "resources/templates/list",
      { resourceTemplates: [{ uriTemplate: "a:{b}", name: "n" }, {}] },
      true,
      { resourceTemplates: [{ uriTemplate: "a:{b}", name: "n" }] },
    ],
    [
      "resources/read",
      { contents: [{ uri: "a:b", blob: "YQ" }, { uri: "a:c" }, { uri: "a:d", text: "x", blob: "YQ==" }, 5] },
      true,
      {
        contents: [
          { uri: "a:b", blob: "YQ==" },
          { uri: "a:c", text: "" },
          { uri: "a:d", text: "x" },
        ],
      },
    ],
    [
      "prompts/get",
      { description: 5, messages: [{ role: "system", content: "hi" }, "x"] },
      true,
      { description: "5", messages: [{ role: "user", content: { type: "text", text: "hi" } }] },
    ],
    [
      "completion/complete",
      { completion: { values: ["a", 5], total: "2", hasMore: true } },
      true,
      { completion: { values: ["a", "5"], hasMore: true } },
    ],
    ["completion/complete", {}, true, { completion: { values: [] } }],
    [
      "initialize",
      { capabilities: { prompts: true, tools: { listChanged: "true", more: 1 }, x: false }, instructions: 5 },
      true,
      {
        protocolVersion: "2025-03-26",
        capabilities: { prompts: {}, tools: { listChanged: true, more: 1 } },
        serverInfo: { name: "unknown", version: "unknown" },
        instructions: "5",
      },
    ],
    ["server/discover", {}, false, { ttlMs: 0, cacheScope: "private", capabilities: { tools: {} } }],
  ])("%s: %j (before 2026: %s)", (method, given, isLegacy, value) => {
    expect(noted((note) => readResult(method, given, isLegacy, note)).value).toEqual(value);
  });

  test("a completion has at most a hundred values", () => {
    const values = Array.from({ length: 150 }, (_, at) => String(at));
    const { completion } = readResult("completion/complete", { completion: { values } }, true, () => {});

    expect((completion as { values: string[] }).values).toEqual(values.slice(0, 100));
  });

  test.each([
    ["notifications/message", { level: "loud", data: null, logger: null }, { level: "info", data: null }],
    ["notifications/message", { level: "error", data: 5 }, { level: "error", data: 5 }],
    ["notifications/progress", { progress: 1, total: null }, { progress: 1 }],
    ["notifications/progress", [1], undefined],
  ])("%s: %j", (method, given, params) => {
    expect(readParams(method, given, () => {})).toEqual(params);
  });
});

describe("the result of a call", () => {
  const text = (value: string) => ({ type: "text", text: value });
  test.each<[unknown, object, string[]]>([
    [{ content: [text("a")] }, { content: [text("a")] }, []],
    [{ content: "a" }, { content: [text("a")] }, []],
    [null, { content: [] }, ["the answer is no object; it is shown as it is"]],
    ["a", { content: [text("a")] }, ["the answer is no object; it is shown as it is"]],
    [{ structuredContent: { a: 1 } }, { structuredContent: { a: 1 }, content: [] }, []],
    [{ resultType: "complete" }, { resultType: "complete", content: [] }, []],
    [{}, { content: [] }, []],
    [{ n: 1 }, { n: 1, content: [text('{"n":1}')] }, ["the answer has no content; it is shown as JSON"]],
    [
      { content: [], toolResult: 7 },
      { toolResult: 7, content: [text('{"toolResult":7}')] },
      ["the answer has no content; it is shown as JSON"],
    ],
    [{ content: [], isError: "true", _meta: 5 }, { content: [], isError: true }, []],
    [{ content: [], isError: null }, { content: [] }, []],
    [
      {
        content: [
          { type: "chart", text: "t" },
          { type: "chart", n: 1 },
        ],
      },
      { content: [text("t"), text('{"type":"chart","n":1}')] },
      [
        "content block 1: it is not of a form that MCP has; it is shown as its text",
        "content block 2: it is not of a form that MCP has; it is shown as JSON",
      ],
    ],
    [
      {
        content: [
          { type: "video", data: "AAAA", mimeType: "video/mp4" },
          { type: "note", data: "AAAA", mimeType: "text/plain" },
          { type: ["image"], data: "AAAA", mimeType: "image/png" },
        ],
      },
      {
        content: [
          { type: "resource", resource: { uri: "content:video", mimeType: "video/mp4", blob: "AAAA" } },
          text('{"type":"note","data":"AAAA","mimeType":"text/plain"}'),
          { type: "resource", resource: { uri: "content:file", mimeType: "image/png", blob: "AAAA" } },
        ],
      },
      [
        "content block 1: it is not of a form that MCP has; it is passed on as a resource",
        "content block 2: it is not of a form that MCP has; it is shown as JSON",
        "content block 3: it is not of a form that MCP has; it is passed on as a resource",
      ],
    ],
  ])("%j", (given, value, said) => {
    expect(noted((note) => readCallResult(given, note))).toEqual({ value, said });
  });

  test("bytes in any common writing of base64 are the same bytes", () => {
    for (let length = 0; length <= 30; length += 1) {
      const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 97 + length * 31) % 256));
      const plain = bytes.toString("base64");
      const ways = [
        plain.replaceAll("=", ""),
        bytes.toString("base64url"),
        `data:image/png;base64,${plain}`,
        plain.replaceAll(/(.{8})/g, "$1\r\n"),
      ];
      const block = { type: "image", data: plain, mimeType: "image/png" };
      for (const data of ways) expect(readBlock({ ...block, data }, () => {})).toEqual(block);
    }
  });

  test.each([
    [{ type: "image", data: "data:image/gif;base64,YQ==" }, "image/gif"],
    [{ type: "audio", data: "YQ==" }, "application/octet-stream"],
    [{ type: "image", data: "YQ==", mimeType: 5 }, "5"],
  ])("the type of %j is %s", (block, mimeType) => {
    expect(readBlock(block, () => {})).toMatchObject({ mimeType });
  });

  test("an image whose data are no bytes is shown as JSON, and a link has its address for a name", () => {
    expect(readBlock({ type: "image", data: "?" }, () => {})).toEqual(text('{"type":"image","data":"?"}'));
    expect(readBlock({ type: "resource_link", uri: "a:b" }, () => {})).toEqual({
      type: "resource_link",
      uri: "a:b",
      name: "a:b",
    });
  });
});

describe("a schema", () => {
  test.each<[unknown, object, RegExp[]]>([
    [{ type: "object", properties: {} }, { type: "object", properties: {} }, []],
    [true, { type: "object" }, [/no type; taken as an object/]],
    [undefined, { type: "object" }, [/no type; taken as an object/]],
    [5, { type: "object" }, [/is no object; any arguments are passed on/]],
    [{ type: ["object", "null"] }, { type: "object" }, []],
    [{ type: "str" }, { type: "object" }, [/taken as an object/]],
    [
      { type: "object", properties: { a: { $ref: "#/$defs/gone" } } },
      { type: "object", properties: { a: {} } },
      [/refers to .*gone.*, which it does not have; any value is passed on there/],
    ],
  ])("of arguments, %j", (given, value, said) => {
    const read = noted((note) => readInputSchema(given, note));

    expect(read.value).toEqual(value);
    expect(read.said).toEqual(said.map((sentence) => expect.stringMatching(sentence) as unknown));
  });

  test("lost references are found at any depth up to a hundred levels, and only there", () => {
    const nest = (levels: number): object => (levels === 0 ? { $ref: "#/gone" } : { not: nest(levels - 1) });
    const said = (levels: number) =>
      noted((note) => readInputSchema({ type: "object", ...nest(levels) }, note)).said.filter((sentence) =>
        sentence.includes("refers to"),
      ).length;

    expect([1, 50, 99].map(said)).toEqual([1, 1, 1]);
    expect([100, 150].map(said)).toEqual([0, 0]);
  });

  test.each<[unknown, boolean, unknown]>([
    [{ type: "object" }, true, { type: "object" }],
    [{}, true, { type: "object" }],
    [{ type: "array" }, true, undefined],
    [{ type: "array" }, false, { type: "array" }],
    [{ type: "object", properties: { a: { $ref: "#/gone" } } }, false, undefined],
    [true, false, undefined],
  ])("of results, %j (before 2026: %s)", (given, isLegacy, value) => {
    expect(noted((note) => readOutputSchema(given, isLegacy, note)).value).toEqual(value);
  });
});

describe("the form in a question of a server", () => {
  const optional = (schema: object) => ({ anyOf: [schema, { type: "null" }], title: "T", default: null });
  const $defs = { Color: { enum: ["red", "blue"], title: "Color", type: "string" } };
  const listed = [{ const: "a", title: "a" }];

  test.each<[string, object, object, string[]?]>([
    [
      "optional values of Python",
      {
        properties: { a: optional({ type: "string" }), b: optional({ type: "integer" }) },
        required: ["a", "b"],
      },
      { properties: { a: { type: "string", title: "T" }, b: { type: "integer", title: "T" } }, required: [] },
    ],
    [
      "references",
      {
        $defs,
        properties: {
          a: { $ref: "#/$defs/Color" },
          b: { allOf: [{ $ref: "#/$defs/Color" }], default: "red" },
        },
        required: ["a"],
      },
      { $defs, properties: { a: $defs.Color, b: { ...$defs.Color, default: "red" } }, required: ["a"] },
    ],
    [
      "types that are lists, null or absent",
      { properties: { a: { type: ["boolean", "null"] }, b: null, c: { enum: ["x"] } }, required: null },
      { properties: { a: { type: "boolean" }, b: { type: "string" }, c: { type: "string", enum: ["x"] } } },
    ],
    [
      "members that the protocol does not have",
      { properties: { a: { type: "string", format: "uuid", default: 5, oneOf: [{ const: "a" }] } } },
      { properties: { a: { type: "string", default: "5", oneOf: listed } } },
      ['field "a": its format is the text "uuid"; left out'],
    ],
    [
      "an optional object",
      { properties: { a: { type: "object" }, b: { type: "string" } }, required: ["b"] },
      { properties: { b: { type: "string" } }, required: ["b"] },
      ['field "a": no form of the protocol has its type; left out'],
    ],
    ["no fields", {}, { properties: {} }],
  ])("%s: the SDK and its clients take it", (_, given, read, said = []) => {
    const form = noted((note) =>
      readParams("elicitation/create", { message: "Who?", requestedSchema: given }, note),
    );

    expect(form.value).toEqual({ message: "Who?", requestedSchema: { type: "object", ...read } });
    expect(form.said).toEqual(said.map((sentence) => `a question: ${sentence}`));
    expect(isSpecType["ElicitRequestFormParams"](form.value)).toBe(true);
  });

  test("a required object stays, so that the question is refused and not asked without it", () => {
    const requestedSchema = { type: "object", properties: { a: { type: "object" } }, required: ["a"] };
    const form = readParams("elicitation/create", { message: "Who?", requestedSchema }, () => {});
    expect(form).toEqual({ message: "Who?", requestedSchema });
    expect(readParams("elicitation/create", { requestedSchema: 5 }, () => {})).toEqual({
      requestedSchema: 5,
    });
  });
});
