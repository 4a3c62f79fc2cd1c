/** An answer of a server over MCP. */
export interface McpAnswer {
  readonly status: number;
  readonly session: string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Posts one message of MCP. */
async function post(url: string, token: string, message: object, more: object): Promise<McpAnswer> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...more,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const text = await response.text();
  const last = text.startsWith("{") ? text : /^data: (\{.*\})\s*$/m.exec(text)?.[1];
  const body = last === undefined ? {} : (JSON.parse(last) as object);
  return { status: response.status, session: response.headers.get("mcp-session-id"), ...body };
}

/** One request of a client of 2026 that can open addresses. It may reach any server. */
export function askModern(url: string, token: string, method: string, params: object): Promise<McpAnswer> {
  const { name } = params as { readonly name?: string };
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {}, form: {} } },
  };
  const message = { id: 1, method, params: { ...params, _meta: meta } };
  const named = name === undefined ? {} : { "mcp-name": name };
  return post(url, token, message, { "mcp-protocol-version": version, "mcp-method": method, ...named });
}

const earlier = "2025-11-25";

/** Connects as a client of 2025, and returns its session. */
export async function connectEarlier(url: string, token: string, capabilities: object = {}): Promise<string> {
  const clientInfo = { name: "test", version: "1.0.0" };
  const params = { protocolVersion: earlier, capabilities, clientInfo };
  const { session } = await post(url, token, { id: 1, method: "initialize", params }, {});
  await post(url, token, { method: "notifications/initialized" }, headersOf(session!));
  return session!;
}

/** One request in the session of a client of 2025. It may reach any server. */
export function askEarlier(
  url: string,
  { token, session }: { readonly token: string; readonly session: string },
  method: string,
  params: object = {},
): Promise<McpAnswer> {
  return post(url, token, { id: 1, method, params }, headersOf(session));
}

function headersOf(session: string) {
  return { "mcp-session-id": session, "mcp-protocol-version": earlier };
}
