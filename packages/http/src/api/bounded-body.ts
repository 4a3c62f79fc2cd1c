import type { IncomingMessage } from "node:http";
import { HttpError } from "../fault/http-error.ts";

/**
 * A request whose body came in chunks, with that body read: at most `maxBytes` of it. A request that states its length was
 * judged by that, and is returned as it is. Throws `BODY_TOO_LARGE`.
 */
export async function withBoundedBody(
  request: Request,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Request> {
  if (incoming.headers["transfer-encoding"] === undefined) return request;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A stream that is destroyed takes its connection, and so the answer, with it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > maxBytes) throw new HttpError("BODY_TOO_LARGE", { maxBytes });
    chunks.push(part);
  }
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: bytes === 0 ? null : Buffer.concat(chunks) });
}
