import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { mostValues, readBounded, refusalOf, smallBytes } from "@toolmount/core/json";
import { HttpError } from "../fault/http-error.ts";

/** Shorter bodies cannot contain a number that JavaScript would change, such as `{"a":1e400}`. */
const leastBytes = 5;

/**
 * Returns a request with its body read, up to `maxBytes`. Throws `BODY_TOO_LARGE`, and `REQUEST_INVALID` for JSON that is too
 * wide, or that contains a number which JavaScript would change.
 */
export async function withBoundedBody(
  request: Request,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Request> {
  const { "transfer-encoding": coding, "content-length": length = "0" } = incoming.headers;
  if (coding === undefined && Number(length) < leastBytes) return request;
  // Destroying the stream would destroy its connection, and so the answer.
  const body = await readBounded(incoming.iterator({ destroyOnReturn: false }), maxBytes);
  if (body === null) throw new HttpError("BODY_TOO_LARGE", { maxBytes });
  const problem = refusalOf(body.toString("utf8"), mostValues);
  if (problem !== null) throw new HttpError("REQUEST_INVALID", { problem: `the body has ${problem}` });
  // A large body was just walked and is parsed next by its route: this lets other requests run in between.
  if (body.length > smallBytes) await setImmediate();
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: body.length === 0 ? null : body });
}
