import type { IncomingMessage } from "node:http";
import { excessOf, narrowBytes, readBounded } from "@toolmount/core/internal";
import { HttpError } from "../fault/http-error.ts";

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
  // A stream that is destroyed takes its connection, and so the answer, with it.
  const body = await readBounded(incoming.iterator({ destroyOnReturn: false }), maxBytes);
  if (body === null) throw new HttpError("BODY_TOO_LARGE", { maxBytes });
  const excess = excessOf(body.toString("utf8"));
  if (excess !== null) throw new HttpError("REQUEST_INVALID", { problem: `the body has ${excess}` });
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: body.length === 0 ? null : body });
}
