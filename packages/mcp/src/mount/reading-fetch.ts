import { AsyncLocalStorage } from "node:async_hooks";
import type { FetchLike, JSONRPCRequest } from "@modelcontextprotocol/client";
import { boundedFetch } from "@toolmount/core/json";
import { tooLarge } from "../wire/message-size.ts";
import { maxQuoted, unreadable, type WireReader } from "../reading/reader.ts";

/** The request that is being sent. An answer over HTTP need not say which request it answers. */
export const sending = new AsyncLocalStorage<JSONRPCRequest>();

interface Bounds {
  readonly name: string;
  readonly maxMessageBytes: number;
}

/**
 * Wraps a fetch so that its answers are limited in size and are messages that the SDK takes. An answer to a request becomes a
 * message, a stream, or an HTTP status.
 */
export function readingFetch(
  fetchOne: FetchLike,
  reader: WireReader,
  { name, maxMessageBytes }: Bounds,
): FetchLike {
  return async (input, init) => {
    const request = init?.method === "POST" ? sending.getStore() : undefined;
    const rewrite = (text: string) => reader.rewrite(text, request?.id);
    // For an event that is too large, the SDK calls `onerror`, and the request only learns that the stream ended.
    const bounded = boundedFetch<string | URL>(
      fetchOne,
      { messageBytes: maxMessageBytes, rewrite },
      tooLarge,
    );
    const response = await bounded(input, init);
    const isJsonRpc = typeof init?.body === "string" && init.body.includes('"jsonrpc"');
    if (request === undefined || !isJsonRpc) return response;
    return answerTo(request, response, { name, hasSession: new Headers(init.headers).has("mcp-session-id") });
  };
}

async function answerTo(
  { id, method }: JSONRPCRequest,
  response: Response,
  { name, hasSession }: { readonly name: string; readonly hasSession: boolean },
): Promise<Response> {
  const { status, ok, headers } = response;
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  if (ok && type === "text/event-stream") return response;
  if (status === 401 || status === 403) return response;
  const text = await response.text();
  if (hasSession && isMessage(text) && saysSessionIsGone(status, text)) return respond(response, text, 404);
  if (ok && isMessage(text)) return respond(response, text, 200);
  // A server of another revision that does not know `server/discover` may refuse it in any way.
  const isRefused = !ok && method === "server/discover" && !isMessage(text);
  if (!ok && !isRefused) return respond(response, text, status);
  const what =
    text.trim() === "" ? "nothing" : `${type || "a text"}: ${JSON.stringify(text.trim().slice(0, 300))}`;
  const problem = `the MCP server "${name}" answered ${method} with HTTP status ${status} and ${what}`;
  return respond(response, JSON.stringify(unreadable(id, problem, text.slice(0, maxQuoted))), 200);
}

/** Whether a rewritten body begins with a message of the protocol. */
function isMessage(text: string): boolean {
  return /^\s*(?:\[\s*)?\{\s*"jsonrpc"/.test(text);
}

/** Whether an error says that the server does not know the session, and so has run nothing. Servers word it differently. */
function saysSessionIsGone(status: number, text: string): boolean {
  if (status !== 400 && !(status === 200 && /"error":\{"code":-32(?:600|00[01]),/.test(text))) return false;
  const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? "";
  return (
    /^(?:bad request:? ?)?(?:no valid|invalid|unknown|expired|missing)\b.{0,20}\bsession\b/i.test(message) ||
    /^(?:bad request:? ?)?.{0,10}\bsession\b.{0,60}\b(?:not found|invalid|unknown|expired|not exist|terminated)\b/i.test(
      message,
    )
  );
}

function respond(response: Response, text: string, status: number): Response {
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  if (status === 200) headers.set("content-type", "application/json");
  const answer = new Response(text, { status, statusText: response.statusText, headers });
  return Object.defineProperty(answer, "url", { value: response.url });
}
