// What a call costs through toolmount as an MCP gateway, and served over MCP, beside the official SDK alone.
import { join } from "node:path";

export const inputSchema = {
  type: "object",
  properties: { left: { type: "number" }, right: { type: "number" } },
  required: ["left", "right"],
};

const program = { command: process.execPath, args: [join(import.meta.dirname, "mcp-server.mjs")] };
const given = { left: 1, right: 2 };

/** `count` calls one after the other. */
const inTurn = (call, count) => async () => {
  for (let at = 0; at < count; at++) await call();
};

/** A call of a stdio server through a host, beside the same call by the SDK's client. */
async function throughGateway() {
  const [{ Client }, { StdioClientTransport }, { createHost, silentLogger }, mcp, { createSchemaCompiler }] =
    await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
      import("@toolmount/core"),
      import("@toolmount/mcp"),
      import("@toolmount/interop"),
    ]);
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(program));
  const host = createHost({ logger: silentLogger });
  host.coordinator.mount("schema-compiler", createSchemaCompiler());
  await mcp.mount(host.coordinator, mcp.config.parse({ name: "bench", ...program }));
  return {
    floor: inTurn(() => client.callTool({ name: "add", arguments: given }), 300),
    row: inTurn(() => host.call({ name: "add", arguments: given }), 300),
  };
}

/** A call to a served host, beside the same call to a server of the SDK alone; both by its own client, without a socket. */
async function served() {
  const [
    { Client, StreamableHTTPClientTransport },
    { createMcpHandler, Server },
    { createHost, data },
    mcp,
    { z },
  ] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/server"),
    import("@toolmount/core"),
    import("@toolmount/mcp"),
    import("zod"),
  ]);
  const connect = async (fetch) => {
    const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    const options = { fetch: (url, init) => fetch(new Request(url, init)) };
    await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), options));
    return client;
  };
  const schema = z.strictObject({ left: z.number(), right: z.number() });
  const bare = createMcpHandler(() => {
    const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "add", description: "Adds.", inputSchema }],
    }));
    server.setRequestHandler("tools/call", ({ params }) => {
      const { left, right } = schema.parse(params.arguments);
      const result = { sum: left + right };
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
    });
    return server;
  });
  const host = createHost();
  host.coordinator.mount("tools", {
    name: "add",
    description: "Adds two numbers.",
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ left, right }) => data({ sum: left + right }),
  });
  const [ours, theirs] = await Promise.all([connect(mcp.serveHttp(host).fetch), connect(bare.fetch)]);
  return {
    floor: inTurn(() => theirs.callTool({ name: "add", arguments: given }), 200),
    row: inTurn(() => ours.callTool({ name: "add", arguments: given }), 200),
  };
}

export const mcpRows = {
  "mcp-gateway": {
    title: "a call of an MCP server over stdio",
    make: throughGateway,
    goal: 1.15,
    gate: 1.35,
  },
  "mcp-serve": { title: "a call of a tool served over MCP", make: served, goal: 1.05, gate: 1.35 },
};
