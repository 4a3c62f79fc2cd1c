/** One thing that a server does otherwise than the protocol says, and what a host makes of it. */
export interface Row {
  /** Where people met it. */
  readonly thread: string;
  /** What the server does, and what the host does then; the page shows both. */
  readonly server: string;
  readonly host: string;
  /** What `server.mjs` is started with. `ID` in a raw answer is the id of the request. */
  readonly given: {
    readonly tools?: readonly object[];
    readonly initialize?: object;
    readonly raw?: Readonly<Record<string, string>>;
    readonly ends?: boolean;
  };
  /** The tools that are offered. Default `send`. */
  readonly tools?: readonly string[];
  /** How the call of `send` ends. Default `ok`, with the text "sent as 42". */
  readonly status?: string;
  readonly text?: string;
}

/** Our own row, beside those that people met. */
const none = "–";

const object = { type: "object" };
const send = { name: "send", inputSchema: object };

/** A row for an odd definition beside a good one. */
function definition(thread: string, server: string, host: string, odd: object): Row {
  return {
    thread,
    server,
    host,
    given: { tools: [send, { name: "odd", inputSchema: object, ...odd }] },
    tools: ["odd", "send"],
  };
}

/** A row for an odd result of a call that ran. */
function result(thread: string, server: string, host: string, given: unknown, text = "sent as 42"): Row {
  return {
    ...line(thread, server, host, `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(given)}}`),
    text,
  };
}

/** A row for an odd answer. */
function line(thread: string, server: string, host: string, answer: string): Row {
  return { thread, server, host, given: { raw: { "tools/call": answer } } };
}

const sent = { type: "text", text: "sent as 42" };
const content = JSON.stringify([sent]);
const whole = `"result":{"content":${content}}`;
const ignored = "the member is absent";

/** The zoo: servers of a few lines, a row for a public thread. It is only added to. */
export const rows: readonly Row[] = [
  definition("r33drichards/mcp-js#117", "a hint is `null`", ignored, { annotations: { readOnlyHint: null } }),
  definition("Roblox/studio-rust-mcp-server#6", "`annotations: null`", ignored, { annotations: null }),
  definition("leehack/mcp_dart#61", "`title: null`, `description: null`", ignored, {
    title: null,
    description: null,
  }),
  definition(none, "`properties: []`", "no properties", { inputSchema: { type: "object", properties: [] } }),
  definition(none, "an `inputSchema` refers to a missing part", "any value there, with a warning", {
    inputSchema: { ...object, properties: { a: { $ref: "#/$defs/A" } } },
  }),
  definition(
    "anthropics/claude-code#76040",
    "an `outputSchema` refers to a missing part",
    "the tool without it",
    { outputSchema: { type: "object", properties: { a: { $ref: "#/$defs/A" } } } },
  ),
  definition("ThinkInAIXYZ/deepchat#2075", "a schema where a type belongs", "the tool without it", {
    outputSchema: { type: "object", properties: { type: "string" } },
  }),
  definition("Kuadrant/mcp-gateway#689", '`type: "int"`', "`integer`", {
    inputSchema: { type: "object", properties: { a: { type: "int" } } },
  }),
  definition("mastra-ai/mastra#23731", "`required` inside `properties`", "the schema without it", {
    inputSchema: { type: "object", properties: { required: ["a"] } },
  }),
  definition("xpzouying/xiaohongshu-mcp#677", "a schema without `type`", "an object", { inputSchema: {} }),
  definition("firecrawl/firecrawl-mcp-server#112", "words of draft-04", "the schema without them", {
    inputSchema: { type: "object", properties: { a: { minimum: 0, exclusiveMinimum: true } } },
  }),
  definition("n8n-io/n8n#35320", "a pattern of another language", "the schema without it", {
    inputSchema: { type: "object", properties: { a: { type: "string", pattern: "(?i)a++" } } },
  }),
  definition("cline/cline#14019, Dokploy/mcp#45", "a pattern that looks around", "the schema without it", {
    inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(?!null$)" } } },
  }),
  definition("colinhacks/zod#5078", "`id` in a part of a schema", "no meaning", {
    inputSchema: { type: "object", properties: { a: { id: "comment", type: "string" } } },
  }),
  definition(none, "a part of a schema takes the id of JSON Schema itself", "schemas of their own", {
    inputSchema: {
      type: "object",
      properties: { a: { $id: "https://json-schema.org/draft/2020-12/schema", type: "string" } },
    },
  }),
  definition("spacelift-io/spacectl#402", "a list without `items`", "items of any kind", {
    inputSchema: { type: "object", properties: { a: { type: "array" } } },
  }),
  definition(
    "twilio-labs/mcp#42, anthropics/claude-code#34771",
    "an argument `$.xgafv`",
    "the argument `_.xgafv`",
    {
      inputSchema: { type: "object", properties: { "$.xgafv": { type: "string" } } },
    },
  ),
  definition(none, "characters without width in a description", "the text without them", {
    inputSchema: {
      type: "object",
      properties: { a: { description: "see **How \u200b\u200bto obtain it**" } },
    },
  }),
  definition(none, "`minLength: -1`, the same choice twice", "the schema without it", {
    inputSchema: { type: "object", properties: { a: { minLength: -1 }, b: { enum: ["a", "a"] } } },
  }),
  {
    thread: none,
    server: "a text has the default `null`, as `a: str = None` of Python",
    host: "an argument that may be absent",
    given: {
      tools: [
        {
          name: "send",
          inputSchema: { type: "object", properties: { a: { type: "string", default: null } } },
        },
      ],
    },
  },
  result("Azure/data-api-builder#3599", "blocks with `annotations: null`, `_meta: null`", "the text", {
    content: [{ ...sent, annotations: null, _meta: null }],
  }),
  result("calebl/ynab-mcp-server#31", "a block of the type `error`", "its text, and a warning", {
    content: [{ type: "error", text: "sent as 42" }],
  }),
  result(
    "naw103/foremerge#28",
    "`structuredContent` is a list",
    "the list",
    { content: [sent], structuredContent: [42] },
    "[42]",
  ),
  result("usememos/memos#6049", "`structuredContent: null`", "the text", {
    content: [sent],
    structuredContent: null,
  }),
  {
    ...line(
      "modelcontextprotocol/go-sdk#1236",
      "an integer beyond 2^53",
      "its digits as a text, and a warning",
      `{"jsonrpc":"2.0","id":ID,"result":{"content":${content},"structuredContent":{"id":12345678901234567890}}}`,
    ),
    text: '{"id":"12345678901234567890"}',
  },
  result(none, "`content` is a text", "the text", { content: "sent as 42" }),
  result(none, "a result without `content`", "its JSON, and a warning", { id: 42 }, '{"id":42}'),
  line(
    "gensecaihq/Wazuh-MCP-Server#59",
    "`error: null` beside a result",
    "the result",
    `{"jsonrpc":"2.0","id":ID,${whole},"error":null}`,
  ),
  {
    ...line(
      "helidon-io/helidon-mcp#65, modelcontextprotocol/java-sdk#506",
      "an error with `id: null`",
      "the end of the one call",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no database"}}',
    ),
    status: "failed",
    text: "no database",
  },
  {
    ...line(none, "an error that is a text", "its text", '{"jsonrpc":"2.0","id":ID,"error":"no database"}'),
    status: "failed",
    text: "no database",
  },
  line(
    "modelcontextprotocol/servers#3173",
    "words before the JSON on one line",
    "the answer",
    `Downloading 100%\r{"jsonrpc":"2.0","id":ID,${whole}}`,
  ),
  line(
    "modelcontextprotocol/python-sdk#1720",
    "the id as a text",
    "the answer",
    `{"jsonrpc":"2.0","id":"ID",${whole}}`,
  ),
  line(none, "no id", "the answer to the only call", `{"jsonrpc":"2.0",${whole}}`),
  {
    ...line(
      none,
      "an answer without `result`",
      "an unknown outcome, at once",
      `{"jsonrpc":"2.0","id":ID,"content":${content}}`,
    ),
    status: "unknown",
    text: "has no result",
  },
  line(none, "no `jsonrpc`", "the answer", `{"id":ID,${whole}}`),
  line(none, "JSON over several lines", "the answer", `{\n"jsonrpc":"2.0",\n"id":ID,\n${whole}\n}`),
  line(
    none,
    "`NaN` in a result",
    "`null`",
    `{"jsonrpc":"2.0","id":ID,"result":{"content":${content},"_meta":{"score":NaN}}}`,
  ),
  {
    ...line(
      none,
      "an answer that is cut",
      "an unknown outcome, with the text",
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{',
    ),
    status: "unknown",
    text: "not JSON",
  },
  {
    thread: "smart-mcp-proxy/mcpproxy-go#33",
    server: "ends after each answer, without an end of the line",
    host: "the answer",
    given: { ends: true },
  },
  {
    thread: none,
    server: "no capabilities",
    host: "the tools are asked for",
    given: { initialize: { protocolVersion: "2025-06-18" } },
  },
  {
    thread: "adcontextprotocol/adcp-client#2408",
    server: "an error with `id: null` to the question for the revision",
    host: "a server from before 2026, at once",
    given: {
      raw: {
        "server/discover": '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}',
      },
    },
  },
  {
    thread: "joshrotenberg/tower-mcp#795",
    server: "a byte order mark",
    host: "the answer",
    given: {
      raw: { "server/discover": '\uFEFF{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}' },
    },
  },
];
