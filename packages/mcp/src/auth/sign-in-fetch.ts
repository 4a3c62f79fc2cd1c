import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { messageOf } from "@toolmount/core/errors";
import { isRecord } from "@toolmount/core/json";
import { escapeHidden } from "@toolmount/core/text";
import { tryParse, withoutNulls } from "../reading/members.ts";
import type { AuthSettings } from "./settings.ts";

/** Longest wait for one answer of an authorization server, in milliseconds. */
const answerMs = 20_000;

/** Maximum number of redirects that one request follows. */
const maxRedirects = 5;

/** The requests of a sign-in. A server names most of their addresses, so each is checked before it is used. */
export interface SignInFetch {
  /** `fetch` with a deadline. The plan's headers are for the MCP server alone and are not sent. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Rejects if neither this process nor a person's browser may use the address. */
  readonly requireAllowed: (address: URL) => Promise<void>;
  /** Returns all origins that may get requests of this sign-in, including those that were found during it. */
  readonly origins: () => string[];
}

/**
 * Makes the requests of a sign-in to one server. They go to https addresses outside this machine and its networks, and to the
 * origins that the plan names: the server's and the one of `issuer`. If the server is on this machine, other ports of it may be
 * asked for metadata, and for more only if the metadata there names its own origin as the authorization server.
 */
export function createSignInFetch(
  url: URL,
  { issuer }: Pick<AuthSettings, "issuer">,
  /** The origins that were found before the browser was sent to the authorization server. */
  origins: readonly string[] = [],
): SignInFetch {
  const named = new Set([url.origin, ...(issuer === undefined ? [] : [new URL(issuer).origin]), ...origins]);
  let refused: Error | undefined;
  const requireAllowed = async (address: URL) => {
    // The SDK takes a failed request as a sign that the address does not exist, and would try others.
    if (refused !== undefined) throw refused;
    const problem = await problemOf(address, named);
    if (problem !== undefined) throw (refused = new Error(problem));
  };
  const isBeside = ({ hostname }: URL) => isHere(url) && hostname === url.hostname;
  const request = async (address: URL, init: RequestInit) => {
    const isAsked = isReading(init) && isBeside(address) && metadataPath.test(address.pathname);
    if (!isAsked) await requireAllowed(address);
    const response = await readAnswer(await fetch(address, { ...init, redirect: "manual" }));
    if (isAsked && (await isAuthorizationServer(response, address))) named.add(address.origin);
    return response;
  };
  return {
    requireAllowed,
    fetch: (given, init = {}) => follow(new URL(given), init, request),
    origins: () => [...named],
  };
}

/**
 * Returns an answer in the form that the SDK takes. Servers write null for absent members, an empty secret, tokens as a form or
 * without their type, and errors with the status 200.
 */
async function readAnswer(response: Response): Promise<Response> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  const isForm = type.startsWith("application/x-www-form-urlencoded") || type.startsWith("text/plain");
  if (status > 203 || !(isForm || type.includes("json"))) return response;
  const text = await response.text();
  const form = Object.fromEntries(new URLSearchParams(text));
  const given: unknown = isForm && "access_token" in form ? form : tryParse(text);
  if (!isRecord(given)) return new Response(text, { status, headers });
  const { client_secret: secret, ...members } = withoutNulls(given);
  const isError = typeof members["error"] === "string";
  const whole = {
    ...("access_token" in members && { token_type: "Bearer" }),
    ...members,
    ...(secret !== undefined && secret !== "" && { client_secret: secret }),
  };
  return Response.json(whole, { status: isError ? 400 : status });
}

/** Paths of the metadata of authorization servers and protected resources. Source: RFC 8414, RFC 9728, OIDC Discovery. */
const metadataPath =
  /^(?:\/[^?#]*)?\/\.well-known\/(?:oauth-authorization-server|oauth-protected-resource|openid-configuration)(?:\/|$)/;

/** Whether an answer is the metadata of an authorization server at its own origin. The body can still be read afterwards. */
async function isAuthorizationServer(response: Response, { origin }: URL): Promise<boolean> {
  const answer: unknown = response.ok
    ? await response
        .clone()
        .json()
        .catch(() => undefined)
    : undefined;
  const metadata = Object(answer) as Record<string, unknown>;
  return ["issuer", "authorization_endpoint", "token_endpoint"].every((name) => {
    const address = metadata[name];
    return typeof address === "string" && URL.canParse(address) && new URL(address).origin === origin;
  });
}

function isReading({ method = "GET" }: RequestInit): boolean {
  return method.toUpperCase() === "GET";
}

/** Makes a request and, if it only reads, follows its redirects. The address of each is checked. */
async function follow(
  address: URL,
  init: RequestInit,
  request: (address: URL, init: RequestInit) => Promise<Response>,
  left = maxRedirects,
): Promise<Response> {
  const signal = init.signal ?? AbortSignal.timeout(answerMs);
  const response = await request(address, { ...init, signal });
  const next = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || next === null) return response;
  await response.body?.cancel();
  if (!isReading(init) || left === 0 || !URL.canParse(next, address.href))
    throw new Error(`${shown(address)} redirects the request, which is not followed`);
  return follow(new URL(next, address), { ...init, signal }, request, left - 1);
}

async function problemOf(address: URL, named: ReadonlySet<string>): Promise<string | undefined> {
  const isNamed = named.has(address.origin);
  const isSafe =
    address.protocol === "https:" || (address.protocol === "http:" && isNamed && isHere(address));
  if (!isSafe)
    return `${shown(address)} is not used: an address has to begin with https://, or be one on this machine that the plan names`;
  if (isNamed || !(await isPrivate(address))) return undefined;
  return `${shown(address)} is not used: it is on this machine or its network, and the plan does not name it; where it is the authorization server, write auth: { issuer: ${JSON.stringify(address.origin)} }`;
}

/** Whether an address is on this machine by its name alone, without a lookup. */
function isHere({ hostname }: URL): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Whether a connection would reach this machine or its network. A name that cannot be found does not count; its request fails.
 */
async function isPrivate(address: URL): Promise<boolean> {
  const host = address.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return !isPublic(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return isHere(address) || found.some((one) => !isPublic(one.address));
}

/** IPv4 addresses that no global network routes. Source: IANA, IPv4 Special-Purpose Address Registry. */
const special = new BlockList();
for (const range of (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"
).split(" ")) {
  const [network = "", prefix] = range.split("/");
  special.addSubnet(network, Number(prefix), "ipv4");
}

/** The part of IPv6 that global networks route. Addresses in `translated` contain an IPv4 address and do not count as public. */
const routed = new BlockList();
routed.addSubnet("2000::", 3, "ipv6");
const translated = new BlockList();
translated.addSubnet("2001::", 32, "ipv6");
translated.addSubnet("2002::", 16, "ipv6");

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, "ipv4");
  return routed.check(address, "ipv6") && !translated.check(address, "ipv6");
}

/** Returns an address as error messages show it: without credentials and parameters, on one line. */
function shown({ protocol, host, pathname }: URL): string {
  return escapeHidden(`${protocol}${host === "" ? "" : "//"}${host}${pathname}`).slice(0, 200);
}

/** Returns why a sign-in failed, as a sentence. If an answer broke the protocol, it names the first issue only. */
export function signInProblem(error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const issue = firstIssue(error);
  if (issue !== undefined) return `an answer of the authorization server is not valid: ${line(issue)}`;
  const why = cause instanceof Error ? `: ${messageOf(cause)}` : "";
  return line(`${messageOf(error)}${why}`);
}

/** Returns the first of the issues that a schema found; undefined for an error without issues. */
export function firstIssue(error: unknown): string | undefined {
  const { issues } = (error ?? {}) as { readonly issues?: unknown };
  if (!Array.isArray(issues)) return undefined;
  const [{ path = [], message = "" } = {}] = issues as { path?: unknown[]; message?: string }[];
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function line(text: string): string {
  return escapeHidden(text.replaceAll(/\s+/g, " ").trim()).slice(0, 500);
}
