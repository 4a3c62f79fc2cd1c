import type { IncomingMessage, ServerResponse } from "node:http";
import { silentLogger, systemClock, type Clock, type Logger } from "@toolmount/core";
import { answerComesBack, returnPath, type ComesBack } from "../access/server-sign-in.ts";
import { isSignIn, type PageSignIn } from "../access/page-sign-in.ts";
import { requireAnyRole } from "../access/principal.ts";
import type { Authenticate } from "../access/tokens.ts";
import { visitOf } from "../access/visit.ts";
import type { Admitted } from "../api/service.ts";
import { answerError, headersOf } from "../fault/answer.ts";
import { HttpError } from "../fault/http-error.ts";
import { admit, type GuardRules } from "../guard/guard.ts";
import { readRest } from "../guard/read-rest.ts";
import { ProtectedResource, type SignInOptions } from "../guard/protected-resource.ts";
import { clientKey } from "../guard/client-key.ts";
import { RateLimit } from "../guard/rate-limit.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { HttpLimits, PageFile } from "./options.ts";

/** What is needed to check a request before it reaches a route. */
interface FrontOptions {
  readonly rules: () => GuardRules;
  readonly authenticate: Authenticate;
  readonly signIn?: SignInOptions | undefined;
  readonly pageSignIn?: PageSignIn | undefined;
  readonly baseOf: (host: string | undefined) => string;
  /** Ends a sign-in for a mounted server, when a browser returns from the provider. */
  readonly comesBack: ComesBack;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly limits: HttpLimits;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly isReady: () => boolean;
  readonly open: OpenRequests;
}

/** Headers that every answer has. */
const always = Object.entries({
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
});

/**
 * Creates the function that checks each request before it reaches a route, and answers requests that need no token. It returns
 * the sender if a route may answer the request; null if the request is already answered.
 */
export function createFront({
  rules,
  authenticate,
  signIn,
  pageSignIn,
  baseOf: reachedAt,
  comesBack,
  page,
  limits,
  clock = systemClock,
  logger = silentLogger,
  isReady,
  open,
}: FrontOptions) {
  const failures = new RateLimit(limits.failures ?? "30/min", clock);
  // Each browser that returns from a sign-in makes this server ask the provider of a mounted server, so the number is limited.
  const signIns = new RateLimit("300/min", clock);
  const requests = new RateLimit(limits.requests ?? "60000/min", clock);

  const resource = signIn && new ProtectedResource(signIn);
  const baseOf = ({ headers }: IncomingMessage) => reachedAt(headers.host);

  const judge = async (request: IncomingMessage, response: ServerResponse): Promise<Admitted | null> => {
    const { method = "", url = "", rawHeaders } = request;
    const { path, token } = admit({ method, target: url, headers: rawHeaders }, rules());
    if (answerPublic(method, path, request, response, { page, isReady, resource, baseOf })) return null;
    if (path === returnPath) {
      refuseOften(signIns, clientKey(request));
      await answerComesBack(visitOf(baseOf(request), request, response), comesBack, logger);
      return null;
    }
    if (pageSignIn !== undefined && isSignIn(path)) {
      await pageSignIn.answer(path, baseOf(request), request, response);
      return null;
    }
    const principal = token === null ? null : await authenticate(token);
    if (principal === null) {
      refuseOften(failures, clientKey(request));
      throw new HttpError("UNAUTHENTICATED", {});
    }
    refuseOften(requests, principal.name);
    requireAnyRole(principal);
    return { principal, ...open.add(token!, principal, response) };
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<Admitted | null> => {
    for (const [name, value] of always) response.setHeader(name, value);
    try {
      return await judge(request, response);
    } catch (thrown) {
      const challenge = resource?.challenge(baseOf(request)) ?? "Bearer";
      const status = refuse(request, response, { thrown, challenge, clock });
      if (status === 500) logger.error({ err: thrown }, "a request could not be judged");
      return null;
    }
  };
}

function refuseOften(limit: RateLimit, key: string): void {
  const seconds = limit.take(key);
  if (seconds > 0) throw new HttpError("RATE_LIMITED", { seconds });
}

/** Answers a refused request and closes the connection, because no route reads the rest of the request. Returns the status. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  {
    thrown,
    challenge,
    clock,
  }: { readonly thrown: unknown; readonly challenge: string; readonly clock: Clock },
): number {
  const { status, body } = answerError(thrown);
  if (status === 401) response.setHeader("www-authenticate", challenge);
  if (status === 405) response.setHeader("allow", "GET, HEAD, POST, DELETE");
  const text = JSON.stringify(body);
  response.setHeader("connection", "close");
  response.writeHead(status, {
    ...headersOf(thrown),
    "content-length": Buffer.byteLength(text),
  });
  response.write(text);
  void readRest(request, clock).then(() => response.end());
  return status;
}

interface Public extends Pick<FrontOptions, "page" | "isReady"> {
  readonly resource: ProtectedResource | undefined;
  readonly baseOf: (request: IncomingMessage) => string;
}

/**
 * Answers requests that need no token: for the page, for health checks, and for where to sign in. Returns false for all others.
 */
function answerPublic(
  method: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { page, isReady, resource, baseOf }: Public,
): boolean {
  const isHealth = path === "/healthz" || path === "/readyz";
  const asset = page.get(path);
  const metadata = resource?.metadata(path, baseOf(request));
  if (!isHealth && asset === undefined && metadata === undefined) return false;
  if (method !== "GET" && method !== "HEAD") throw new HttpError("METHOD_REFUSED", { method });
  if (asset !== undefined) sendAsset(asset, request, response);
  else if (metadata !== undefined) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
  } else {
    const ready = path === "/healthz" || isReady();
    response.writeHead(ready ? 200 : 503, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: ready ? "ok" : "draining" }));
  }
  return true;
}

function sendAsset(
  { type, body, gzipped, headers }: PageFile,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const sent = zipped ? gzipped : body;
  response.writeHead(200, {
    ...headers,
    "content-type": type,
    "content-length": sent.length,
    vary: "accept-encoding",
    ...(zipped && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}
