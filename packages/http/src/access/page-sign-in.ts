import type { IncomingMessage, ServerResponse } from "node:http";
import { silentLogger, type Clock, type Logger } from "@toolmount/core";
import { HttpError } from "../fault/http-error.ts";
import { CodeFlow, ProviderRefusal, type Granted, type OidcClient, type Started } from "./code-flow.ts";
import { clientKey } from "../guard/client-key.ts";
import { ProviderAsks } from "./provider-asks.ts";
import type { Authenticate } from "./tokens.ts";
import { readCookie, setCookie, visitOf, type Visit } from "./visit.ts";

/** How people sign in to the operator's page. */
export interface PageSignInOptions extends OidcClient {
  /** Tests whether this server accepts a token of the provider, as `createOidcCheck` does. */
  readonly authenticate: Authenticate;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** The sign-in of the page, at the paths below `/signin`. */
export interface PageSignIn {
  /** The provider's host, which people see as its name. */
  readonly provider: string;
  /** Answers a request below `/signin`. `base` is the address of this server for browsers. Rejects with an `HttpError`. */
  answer(path: string, base: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Tests whether a path belongs to the sign-in of the page. */
export function isSignIn(path: string): boolean {
  return path === "/signin" || path.startsWith("/signin/");
}

/** Seconds within which a user must sign in at the provider. */
const startedSeconds = 600;
/** Seconds for which a browser keeps a refresh token. The provider decides how long the token is valid. */
const renewalSeconds = 30 * 86_400;

/**
 * Lets users sign in to the page at an OpenID provider, by the code flow with PKCE. The page gets the provider's signed token and
 * sends it with each request. The refresh token stays in a cookie that no script can read. The server stores nothing, so users
 * stay signed in after a restart and at other servers. Rejects with `OPTION_INVALID`.
 */
export async function createPageSignIn(options: PageSignInOptions): Promise<PageSignIn> {
  const flow = await CodeFlow.open(options);
  const asks = new ProviderAsks(options.clock);
  const way = { flow, asks, options };
  const routes: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
    "GET /signin": (visit) => start(flow, visit),
    "GET /signin/callback": (visit) => finish(way, visit),
    "POST /signin/renew": (visit) => renew(way, visit),
    "POST /signin/out": (visit) => signOut(way, visit),
  };
  return {
    provider: flow.name,
    async answer(path, base, request, response) {
      const route = routes[`${request.method ?? ""} ${path}`];
      if (route === undefined) throw new HttpError("NOT_FOUND", { what: `way to sign in at ${path}` });
      await route(visitOf(base, request, response));
    },
  };
}

/** What the steps of a sign-in share. */
interface Way {
  readonly flow: CodeFlow;
  readonly asks: ProviderAsks;
  readonly options: PageSignInOptions;
}

const redirectOf = ({ base }: Visit) => `${base}/signin/callback`;

async function start(flow: CodeFlow, visit: Visit): Promise<void> {
  const { url, started } = await flow.start(redirectOf(visit));
  const view = visit.query.get("view") ?? "";
  const kept = Buffer.from(JSON.stringify({ ...started, view })).toString("base64url");
  setCookie(visit, "start", kept, { seconds: startedSeconds, sameSite: "Lax" });
  visit.response.writeHead(302, { location: url }).end();
}

/** Ends a sign-in when the provider has sent the user back, with a code or an error. */
async function finish(way: Way, visit: Visit): Promise<void> {
  const { flow, asks, options } = way;
  const kept = readStarted(visit);
  setCookie(visit, "start", "", { seconds: 0, sameSite: "Lax" });
  if (kept === null) return toPage(visit, { refused: "late" });
  try {
    const finishing = () => flow.finish(visit.query, redirectOf(visit), kept);
    const granted = await asks.ask(clientKey(visit.request), "", finishing);
    const token = await acceptedOf(granted, options);
    if (token === null) return toPage(visit, { refused: "unfit" });
    keepRenewal(way, visit, granted);
    return toPage(visit, { token, view: kept.view });
  } catch (err) {
    if (err instanceof HttpError) throw err;
    options.logger?.warn({ err }, "a person could not sign in to the page");
    return toPage(visit, { refused: err instanceof ProviderRefusal ? "denied" : "failed" });
  }
}

/**
 * Redirects to the page with a result in the fragment of the address, which browsers send to no server. The page reads and
 * removes it.
 */
function toPage({ response }: Visit, fragment: Readonly<Record<string, string>>): void {
  const text = Object.entries(fragment)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${encodeURI(value)}`)
    .join("&");
  response.writeHead(302, { location: `/#${text}` }).end();
}

/**
 * Returns the first token that this server accepts and that has a role; null if the server accepts no token. Some providers sign
 * only the ID token.
 */
async function acceptedOf({ tokens }: Granted, options: PageSignInOptions): Promise<string | null> {
  for (const token of tokens) {
    const principal = await options.authenticate(token);
    if (principal !== null && principal.roles.size > 0) return token;
  }
  const { logger = silentLogger, audience, issuer } = options;
  logger.warn(
    { audience, issuer },
    "a person signed in, and the provider's token has no role or another audience",
  );
  return null;
}

function keepRenewal({ asks }: Way, visit: Visit, { renewal }: Granted): void {
  if (renewal === undefined) return;
  asks.note(renewal);
  setCookie(visit, "renewal", renewal, { seconds: renewalSeconds, sameSite: "Strict" });
}

async function renew(way: Way, visit: Visit): Promise<void> {
  const { flow, asks, options } = way;
  const renewal = readCookie(visit, "renewal");
  if (renewal === "") throw new HttpError("UNAUTHENTICATED", {});
  const renewing = () => flow.renew(renewal);
  const granted = await asks.ask(clientKey(visit.request), renewal, renewing).catch((cause: unknown) => {
    if (cause instanceof HttpError) throw cause;
    if (!(cause instanceof ProviderRefusal))
      throw new HttpError("SIGN_IN_FAILED", { issuer: options.issuer }, { cause });
    setCookie(visit, "renewal", "", { seconds: 0, sameSite: "Strict" });
    throw new HttpError("UNAUTHENTICATED", {}, { cause });
  });
  keepRenewal(way, visit, granted);
  const token = await acceptedOf(granted, options);
  if (token === null) throw new HttpError("UNAUTHENTICATED", {});
  sendJson(visit, { token });
}

/** Revokes the refresh token that the browser has. The user stays signed in at the provider itself. */
async function signOut({ flow, asks, options }: Way, visit: Visit): Promise<void> {
  const renewal = readCookie(visit, "renewal");
  setCookie(visit, "renewal", "", { seconds: 0, sameSite: "Strict" });
  if (renewal !== "")
    await asks
      .ask(clientKey(visit.request), renewal, () => flow.revoke(renewal))
      .catch((err: unknown) => {
        options.logger?.warn({ err }, "the provider did not end a renewal");
      });
  sendJson(visit, { signedOut: true });
}

function sendJson({ response }: Visit, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function readStarted(visit: Visit): (Started & { readonly view: string }) | null {
  try {
    const text = Buffer.from(readCookie(visit, "start"), "base64url").toString("utf8");
    const { state, verifier, nonce, view } = JSON.parse(text) as Record<string, unknown>;
    if ([state, verifier, nonce, view].some((value) => typeof value !== "string")) return null;
    return { state, verifier, nonce, view: viewOf(view as string) } as Started & { view: string };
  } catch {
    return null;
  }
}

/** Returns the view of the page to open. Empty for a text with characters that could end it in the fragment. */
function viewOf(text: string): string {
  return /^\/[\w./?=&%~:+-]{0,2000}$/.test(text) ? text : "";
}
