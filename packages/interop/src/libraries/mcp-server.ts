import { ToolmountError, type Coordinator, type ToolContext, type ToolDefinition } from "@toolmount/core";
import { classify } from "@toolmount/core/modules";
import { fromMcpResult } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord, readText, type Members } from "../schema/guards.ts";

/** A server of MCP's SDK, low or high level, that is not connected to a transport yet. */
interface McpServer {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

/** Whether a value is a server object of MCP's SDK. */
export function isMcpServer(value: unknown): value is McpServer {
  if (typeof value !== "object" || value === null) return false;
  const { connect, close, server, setRequestHandler } = value as Members;
  if (typeof connect !== "function" || typeof close !== "function") return false;
  const inner = isRecord(server) ? server["setRequestHandler"] : undefined;
  return typeof setRequestHandler === "function" || typeof inner === "function";
}

/** Version of the protocol that {@link Link} uses, because every version of the SDK supports it. */
const protocolVersion = "2025-06-18";

/** Connects to a server object in this process and returns its tools. The server is closed when the module ends. */
export async function connectServer(
  server: McpServer,
  coordinator: Coordinator,
): Promise<readonly ToolDefinition[]> {
  const link = new Link();
  await server.connect(link);
  coordinator.registerCleanup(() => server.close());
  const clientInfo = { name: "toolmount", version: "1" };
  await link.request("initialize", { protocolVersion, capabilities: {}, clientInfo });
  link.notify("notifications/initialized");
  const tools: ToolDefinition[] = [];
  let cursor: unknown;
  do {
    const page = await link.request("tools/list", cursor === undefined ? {} : { cursor });
    for (const tool of Array.isArray(page["tools"]) ? page["tools"].filter(isRecord) : [])
      tools.push(toolOf(tool, link));
    cursor = page["nextCursor"];
  } while (typeof cursor === "string");
  return tools;
}

function toolOf(tool: Members, link: Link): ToolDefinition {
  const name = readText(tool["name"]);
  const { outputSchema, annotations } = tool;
  const definition = foreignTool({
    name,
    description: tool["description"],
    arguments: readSchema(name, tool["inputSchema"]),
    ...(isRecord(outputSchema) && { outputSchema }),
    run: async (args, context) => fromMcpResult(await link.call({ name, arguments: args }, context)),
  });
  const facts = classify(name, isRecord(annotations) ? annotations : undefined);
  return { ...definition, ...facts, origin: "mcp" };
}

/** A connection within the process: it is the server's transport, and it makes the requests of a client. */
class Link {
  /** These callbacks are set by the server when it connects. */
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<Members>>();
  readonly #progress = new Map<number, ToolContext["progress"]>();
  #next = 0;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.values()) reject(new Error("the server was closed"));
    this.#waiting.clear();
    this.onclose?.();
  }

  /** Receives what the server sends. A request to the client is refused, because there is no client that could answer it. */
  async send(message: Members): Promise<void> {
    const { id, method } = message;
    if (typeof method === "string") {
      if (id !== undefined) this.#toServer({ id, error: { code: -32_601, message: "not supported" } });
      else if (method === "notifications/progress") this.#report(message["params"]);
      return;
    }
    const waiting = this.#waiting.get(id as number);
    this.#waiting.delete(id as number);
    const { error, result } = message;
    if (isRecord(error)) waiting?.reject(new Error(readText(error["message"]) || "the server failed"));
    else waiting?.resolve(isRecord(result) ? result : {});
  }

  notify(method: string, params: Members = {}): void {
    this.#toServer({ method, params });
  }

  request(method: string, params: Members, id: number = this.#next++): Promise<Members> {
    const waiting = Promise.withResolvers<Members>();
    this.#waiting.set(id, waiting);
    this.#toServer({ id, method, params });
    return waiting.promise;
  }

  /** Calls a tool. The call's abort signal cancels it at the server. */
  async call(params: Members, context: ToolContext): Promise<Members> {
    const { abortSignal } = context;
    const id = this.#next++;
    const cancel = () => this.notify("notifications/cancelled", { requestId: id, reason: "cancelled" });
    abortSignal.addEventListener("abort", cancel, { once: true });
    this.#progress.set(id, (step) => context.progress(step));
    try {
      return await this.request("tools/call", { ...params, _meta: { progressToken: id } }, id);
    } finally {
      abortSignal.removeEventListener("abort", cancel);
      this.#progress.delete(id);
    }
  }

  #report(params: unknown): void {
    if (!isRecord(params) || typeof params["progress"] !== "number") return;
    const { progress, total, message } = params;
    this.#progress.get(params["progressToken"] as number)?.({
      progress: progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  #toServer(message: Members): void {
    if (this.onmessage === undefined)
      throw new ToolmountError("INTERNAL", { message: "the server is not connected" });
    this.onmessage({ jsonrpc: "2.0", ...message });
  }
}
