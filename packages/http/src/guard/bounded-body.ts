import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { mostValues, readBounded, refusalOf, smallBytes } from "@toolmount/core/json";
import { HttpError } from "../fault/http-error.ts";

/**
 * Minimum number of bytes of a body that is checked. A shorter one cannot contain a number that JavaScript would change, such
 * as `1e400`.
 */
const leastBytes = 5;

/**
 * Returns a request whose body is read and checked. Throws `BODY_TOO_LARGE` for more than `maxBytes`, and `REQUEST_INVALID` for
 * JSON with too many values, or with a number that JavaScript would change.
 */
export async function withBoundedBody(
  request: Request,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Request> {
  const { "transfer-encoding": coding, "content-length": length = "0" } = incoming.headers;
  if (coding === undefined && Number(length) < leastBytes) return request;
  // The connection must stay open for the answer, but destroying the stream would close it.
  const body = await readBounded(incoming.iterator({ destroyOnReturn: false }), maxBytes);
  if (body === null) throw new HttpError("BODY_TOO_LARGE", { maxBytes });
  const problem = refusalOf(body.toString("utf8"), mostValues);
  if (problem !== null) throw new HttpError("REQUEST_INVALID", { problem: `the body has ${problem}` });
  // Checking a large body took long, and the route parses it next. Between them, other requests can run.
  if (body.length > smallBytes) await setImmediate();
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: body.length === 0 ? null : body });
}
