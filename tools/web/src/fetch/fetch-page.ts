import { isUtf8 } from "node:buffer";
import type { Clock } from "@toolmount/core";
import type { Guard, Target } from "../guard/target.ts";
import type { BodyLimits } from "./body.ts";
import type { Connect } from "./connect.ts";
import { askServer, isRedirect, type HopAnswer } from "./hop.ts";
import { FetchProblem } from "./problem.ts";

/** The server's answer for a page, after all redirects and whatever its status is. */
export interface Page {
  /** The address after all redirects. */
  readonly finalUrl: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly status: number;
  readonly reason: string;
  /** The header `Retry-After`: seconds or a date after which the server may be asked again. */
  readonly retryAfter: string | undefined;
  /** The header `Refresh`, which browsers follow like the `meta` element of that name. */
  readonly refresh: string | undefined;
}

export interface FetchOptions {
  readonly guard: Guard;
  readonly connect: Connect;
  readonly limits: BodyLimits;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/**
 * Fetches a page, whatever its status is. Every address is checked before its request. Cookies that redirects set are sent back
 * to their origins, and are dropped at the end of the call. Throws a {@link FetchProblem}.
 */
export async function fetchPage(address: string, options: FetchOptions, signal: AbortSignal): Promise<Page> {
  return await withDeadline(options, signal, shorten(address), (both) => followHops(address, options, both));
}

async function followHops(address: string, options: FetchOptions, signal: AbortSignal): Promise<Page> {
  let target = await judged(address, undefined, address, options, signal);
  const jar = createCookieJar();
  for (let hop = 0; hop <= options.maxRedirects; hop++) {
    const answer = await ask(
      target,
      { ...options, headers: { ...options.headers, ...jar.headers(target.url) } },
      signal,
    );
    if (!isRedirect(answer)) return pageOf(target, answer);
    jar.keep(target.url, answer.cookies);
    target = await judged(textOfHeader(answer.headers["location"]!), target.url, address, options, signal);
  }
  const message = `Too many redirects fetching ${shorten(address)}: more than ${options.maxRedirects}`;
  throw new FetchProblem("TOO_MANY_REDIRECTS", message, { max_redirects: options.maxRedirects });
}

/** Checks an address. The check includes a name lookup that cannot be cancelled; after the deadline, its result is ignored. */
async function judged(
  text: string,
  base: URL | undefined,
  first: string,
  { guard }: FetchOptions,
  signal: AbortSignal,
): Promise<Target> {
  const answer = await Promise.race([guard.judge(text, base), rejectionOf(signal)]);
  if (!("refused" in answer)) return answer;
  const where = base === undefined ? "" : " (the target of a redirect)";
  if (answer.refused === "unresolved")
    throw new FetchProblem("FETCH_FAILED", `Cannot fetch ${shorten(first)}: ${answer.problem}${where}`);
  throw new FetchProblem(
    "URL_BLOCKED",
    `Invalid or blocked URL: ${shorten(first)}: ${answer.problem}${where}`,
  );
}

async function ask(target: Target, options: FetchOptions, signal: AbortSignal): Promise<HopAnswer> {
  const { connect, limits, headers } = options;
  return await askServer(target, { method: "GET", headers }, { connect, limits, signal });
}

function pageOf({ url }: Target, { status, reason, headers, body }: HopAnswer): Page {
  return {
    finalUrl: url.href,
    contentType: headers["content-type"] ?? "",
    body,
    status,
    reason: reason.slice(0, 200),
    retryAfter: headers["retry-after"]?.slice(0, 100),
    refresh: headers["refresh"],
  };
}

/** Reads a header, which arrives as Latin-1, as UTF-8 if its bytes are valid UTF-8. Browsers read addresses in this way. */
function textOfHeader(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** Shortens an address for a message. */
function shorten(address: string): string {
  return address.length > 300 ? `${address.slice(0, 300)}…` : address;
}

/** Runs work under the caller's signal and a deadline. Errors become a {@link FetchProblem}. */
export async function withDeadline<Value>(
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
  caller: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController();
  const timer = clock.setTimer(() => deadline.abort(new Error("the deadline passed")), timeoutMs);
  try {
    return await work(AbortSignal.any([caller, deadline.signal]));
  } catch (thrown) {
    if (caller.aborted)
      throw new FetchProblem("FETCH_CANCELLED", "Request was cancelled", {}, { cause: thrown });
    if (thrown instanceof FetchProblem) throw thrown;
    if (deadline.signal.aborted)
      throw new FetchProblem(
        "FETCH_TIMED_OUT",
        `Timeout fetching ${what}`,
        { timeout_ms: timeoutMs },
        { cause: thrown },
      );
    throw new FetchProblem(
      "FETCH_FAILED",
      `Cannot fetch ${what}: ${describeError(thrown)}`,
      {},
      { cause: thrown },
    );
  } finally {
    timer.cancel();
  }
}

/** Describes a network error only by its kind, without addresses. */
function describeError(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? `the connection failed (${code})` : "the connection failed";
}

/** The cookies of one fetch. Many sites redirect until the cookie that they set with the redirect is sent back. */
interface CookieJar {
  keep(url: URL, cookies: readonly string[]): void;
  /** Returns the header for a request; empty if there is no cookie for the address. */
  headers(url: URL): { readonly cookie?: string };
}

/** Maximum number of cookies that are taken from one response, and of characters of one cookie. */
const most = { cookies: 50, characters: 4096 };

/** Creates a jar that sends a cookie only to exactly the origin that set it, whatever domain the cookie names. */
function createCookieJar(): CookieJar {
  const byOrigin = new Map<string, Map<string, string>>();
  return {
    keep({ origin }, cookies) {
      const kept = byOrigin.get(origin) ?? new Map<string, string>();
      byOrigin.set(origin, kept);
      for (const cookie of cookies.slice(0, most.cookies)) {
        const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(cookie) ?? [];
        if (name === undefined || value === undefined || cookie.length > most.characters) continue;
        if (/;\s*max-age=(?:0|-\d+)\s*(?:;|$)/i.test(cookie)) kept.delete(name);
        else if (/^[\x20-\x7e]*$/.test(value)) kept.set(name, value.trim());
      }
    },
    headers({ origin }) {
      const kept = byOrigin.get(origin);
      if (kept === undefined || kept.size === 0) return {};
      return { cookie: [...kept].map(([name, value]) => `${name}=${value}`).join("; ") };
    },
  };
}
