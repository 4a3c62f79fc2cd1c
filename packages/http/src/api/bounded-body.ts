import type { IncomingMessage } from "node:http";
import { excessOf } from "@toolmount/core/internal";
import { HttpError } from "../fault/http-error.ts";

/** Bytes below which no body can be too wide, so that it need not be looked at. */
const narrowBytes = 65_536;

/**
 * A request whose body came in chunks, or is a large one, with that body read: at most `maxBytes` of it. A request that
 * states a small length is returned as it is. Throws `BODY_TOO_LARGE`, and `REQUEST_INVALID` for JSON that is too wide.
 */
export async function withBoundedBody(
  request: Request,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Request> {
  const { "transfer-encoding": coding, "content-length": length = "0" } = incoming.headers;
  if (coding === undefined && Number(length) < narrowBytes) return request;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A stream that is destroyed takes its connection, and so the answer, with it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > maxBytes) throw new HttpError("BODY_TOO_LARGE", { maxBytes });
    chunks.push(part);
  }
  const body = Buffer.concat(chunks);
  const excess = excessOf(body.toString("utf8"));
  if (excess !== null) throw new HttpError("REQUEST_INVALID", { problem: `the body has ${excess}` });
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: bytes === 0 ? null : body });
}
