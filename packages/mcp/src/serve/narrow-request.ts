import { excessOf, narrowBytes, readBounded } from "@toolmount/core/internal";
import { refusal } from "./narrow-lines.ts";

/** Most bytes of a request's body. The SDK has the same bound. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Returns a request whose body may be parsed, or the answer that refuses it. A body is read here unless the request states a
 * small length: the server that received it has compared that with the body.
 */
export async function narrowRequest(request: Request): Promise<Request | Response> {
  const length = request.headers.get("content-length");
  if (request.body === null || (length !== null && Number(length) < narrowBytes)) return request;
  const body = await readBounded(request.body, maxBodyBytes);
  if (body === null) return refuse(413, "", `more than ${maxBodyBytes} bytes`);
  const text = body.toString("utf8");
  const excess = excessOf(text);
  if (excess !== null) return refuse(400, text, excess);
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

function refuse(status: number, text: string, excess: string): Response {
  const headers = { "content-type": "application/json" };
  return new Response(refusal(text, excess), { status, headers });
}
