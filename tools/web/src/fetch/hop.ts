import { Client } from "undici";
import type { Target } from "../guard/target.ts";
import { readBody, type BodyLimits } from "./body.ts";
import { connectToAny, type Connect } from "./connect.ts";

export interface HopRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The response to one request, before any redirect is followed. */
export interface HopAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  /** The body without its encoding; empty for a redirect, whose body is not read. */
  readonly body: Buffer;
}

/** Maximum number of bytes of the headers. */
const maxHeaderBytes = 65_536;

const redirects = new Set([301, 302, 303, 307, 308]);

/** Whether a response is a redirect to an address that it names. */
export function isRedirect({ status, headers }: Pick<HopAnswer, "status" | "headers">): boolean {
  return redirects.has(status) && headers["location"] !== undefined;
}

/**
 * Sends one request on a new connection to a checked address: without a name lookup, without a proxy from the environment, and
 * without following a redirect.
 */
export async function askServer(
  target: Target,
  request: HopRequest,
  { connect, limits, signal }: { connect: Connect; limits: BodyLimits; signal: AbortSignal },
): Promise<HopAnswer> {
  const { addresses, url, port, secure, host } = target;
  const client = new Client(url.origin, {
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0, // the signal is the only deadline
    bodyTimeout: 0,
    connect: (_options, callback) => {
      connectToAny(connect, addresses, { port, secure, host }, signal).then(
        (socket) => callback(null, socket),
        (thrown: unknown) => callback(thrown as Error, null),
      );
    },
  });
  try {
    const answer = await client.request({
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...request.headers, "accept-encoding": "gzip, deflate, br" },
      body: request.body ?? null,
      signal,
    });
    const head = {
      status: answer.statusCode,
      reason: answer.statusText,
      headers: flat(answer.headers),
      cookies: [answer.headers["set-cookie"] ?? []].flat(),
      body: Buffer.alloc(0),
    };
    if (isRedirect(head)) return head;
    const body = await readBody(answer.body, head.headers["content-encoding"] ?? "", limits, signal);
    return { ...head, body };
  } finally {
    await client.destroy();
  }
}

/** Returns headers by name in lower case, with the first value of a repeated header. */
function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}
