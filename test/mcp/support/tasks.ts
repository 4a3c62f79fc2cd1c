import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

const tasksExtension = "io.modelcontextprotocol/tasks";

/** The header that a person's token is in. */
const authorizationOf = (token: string | undefined) =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** A client of the SDK that most of the field uses; it speaks the tasks of 2025-11-25. */
export async function connectOld(url: string, token?: string) {
  const requestInit = { headers: authorizationOf(token) };
  return connectOldOver(new OldTransport(new URL(url), { requestInit }));
}

/** The same over any transport. */
export async function connectOldOver(transport: Transport) {
  const client = new OldClient(
    { name: "test", version: "1.0.0" },
    { capabilities: { elicitation: {}, tasks: { requests: {} } } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "ada" } }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  const stream = (name: string, args: Record<string, unknown>, ttl = 60_000) =>
    client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
      task: { ttl },
    });
  return { client, stream };
}

/** What the tests read of answers. */
interface Answer {
  readonly resultType?: string;
  readonly content?: readonly object[];
  readonly taskId: string;
  readonly status?: string;
  readonly inputRequests?: Readonly<Record<string, object>>;
  readonly result?: { readonly content: readonly object[] };
  readonly error?: object;
}

/** Requests of a client of 2026 that speaks the extension, as they are on the wire. */
export function speak(
  url: string,
  {
    extensions = { [tasksExtension]: {} },
    token,
  }: { readonly extensions?: object; readonly token?: string } = {},
) {
  let id = 0;
  return async (method: string, params: Record<string, unknown>) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...authorizationOf(token),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": String(params["taskId"] ?? params["name"]),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: ++id,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {
              elicitation: { form: {} },
              extensions,
            },
          },
        },
      }),
    });
    const text = await response.text();
    const data = text.startsWith("{") ? text : (/^data: (\{.*\})$/m.exec(text)?.[1] ?? text);
    const { result, error } = JSON.parse(data) as { result?: Answer; error?: object };
    return { ...result, ...(error !== undefined && { error }) } as Answer;
  };
}

type Ask = ReturnType<typeof speak>;

/** Looks at a task until it has a status. */
export async function follow(ask: Ask, taskId: string, status: string) {
  for (;;) {
    const state = await ask("tasks/get", { taskId });
    if (state.status === status || state.error !== undefined) return state;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
