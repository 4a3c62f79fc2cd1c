// The server that stands behind toolmount and its peers: over stdio, or over HTTP at the port that it is started with.
// It uses the SDK that most servers of the field use.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, isOpen: id % 2 === 0, name: `row ${id}` }));

let isWide = false;
let cancelled = 0;

/** What each tool answers. */
const works = {
  echo: ({ args }) => text(String(args.text)),
  meta: () => ({ ...text("drawn"), _meta: { "com.example/deep": { list: [1, null, true] } } }),
  failed: () => ({
    isError: true,
    content: [{ type: "text", text: "no such button" }, picture],
    structuredContent: { code: "E_BUTTON" },
  }),
  rows: () => ({ ...text("many rows"), structuredContent: { rows } }),
  long: () => text("x".repeat(1_000_000)),
  elicit: async ({ extra }) => {
    const params = {
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    };
    const answer = await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return text(JSON.stringify(answer.content));
  },
  sample: async ({ extra }) => {
    const params = { messages: [{ role: "user", content: { type: "text", text: "2 + 2" } }], maxTokens: 10 };
    const answer = await extra.sendRequest(
      { method: "sampling/createMessage", params },
      CreateMessageResultSchema,
    );
    return text(answer.content.text);
  },
  progress: async ({ extra }) => {
    const { _meta: { progressToken } = {} } = extra;
    for (const progress of [1, 2, 3]) {
      if (progressToken === undefined) continue;
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3 },
      });
      await delay(20); // a client forgets the progress of a call that has ended
    }
    return text("done");
  },
  wait: async ({ extra }) => {
    await delay(20_000, undefined, { signal: extra.signal }).catch(() => cancelled++);
    return text("waited");
  },
  cancelled: () => text(String(cancelled)),
  widen: async ({ server }) => {
    isWide = true;
    await server.sendToolListChanged();
    return text("wide");
  },
  die: () => process.exit(1),
};

function makeServer() {
  const server = new Server(
    { name: "behind", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
      instructions: "Echo before you fail.",
    },
  );
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  const tool = (name) => ({
    name,
    description: `It can ${name}.`,
    inputSchema,
    annotations: { readOnlyHint: true },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...Object.keys(works), ...(isWide ? ["added"] : [])].map(tool),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    works[params.name]({ args: params.arguments ?? {}, extra, server }),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: "review", description: "Reviews." }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Review it." } }],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: "note://1", name: "A note" }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: "a note" }],
  }));
  return server;
}

const [port] = process.argv.slice(2);
if (port === undefined) await makeServer().connect(new StdioServerTransport());
else serveAt(Number(port));

function serveAt(at) {
  const sessions = new Map();
  createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(at, "127.0.0.1");
}
