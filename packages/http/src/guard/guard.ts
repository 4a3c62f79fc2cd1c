import { HttpError } from "../fault/http-error.ts";
import { parseAuthority } from "./authority.ts";

/** The head of a request, which is checked before the body is read. */
interface RequestHead {
  readonly method: string;
  /** The target in the first line of the request: its path with the query. */
  readonly target: string;
  /** All header lines, in order, as Node's `rawHeaders`: a name in any case, its value, the next name. */
  readonly headers: readonly string[];
}

/** Rules about which requests are accepted. */
export interface GuardRules {
  /** Names that the Host header may have, in lower case. Any port is allowed. */
  readonly hosts: ReadonlySet<string>;
  /**
   * Origins of other sites whose pages may send requests, such as `https://ops.example.com`. The server's own page always may.
   */
  readonly origins: ReadonlySet<string>;
  readonly maxBodyBytes: number;
}

/** Names of a server that listens on loopback. */
export const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "::1"];

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "DELETE"]);

/** Headers that a request may have only once. If there were two, a proxy and this server could each use another one. */
const single: ReadonlySet<string> = new Set<keyof Singles>([
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-length",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
]);

/** What is used of a request whose head is allowed. */
interface Admitted {
  readonly path: string;
  /** The token in the header `Authorization`; null if the request has no token there. */
  readonly token: string | null;
}

/** Checks the head of a request. Throws an `HttpError` if the request is not allowed. */
export function admit({ method, target, headers }: RequestHead, rules: GuardRules): Admitted {
  const values = readSingles(headers);
  const { host } = values;
  const authority = host === undefined ? null : parseAuthority(host);
  if (authority === null || !rules.hosts.has(authority.name))
    throw new HttpError("HOST_REFUSED", { host: host ?? "" });
  if (!target.startsWith("/") || target.startsWith("//"))
    throw new HttpError("REQUEST_INVALID", { problem: "its target is not a path" });
  if (!methods.has(method)) throw new HttpError("METHOD_REFUSED", { method });
  requireOwnOrigin(values.origin, host!, rules);
  requireOwnSite(values, method, target);
  requireSmallBody(values["content-length"], rules);
  if (method === "POST") requireJson(values);
  return { path: target.replace(/[?#].*$/s, ""), token: readBearer(values.authorization) };
}

interface Singles {
  readonly host?: string;
  readonly origin?: string;
  readonly authorization?: string;
  readonly "content-type"?: string;
  readonly "content-length"?: string;
  readonly "sec-fetch-site"?: string;
  readonly "sec-fetch-mode"?: string;
  readonly "sec-fetch-dest"?: string;
}

function readSingles(headers: RequestHead["headers"]): Singles {
  const found: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const key = headers[at]!.toLowerCase();
    if (!single.has(key)) continue;
    if (key in found) throw new HttpError("REQUEST_INVALID", { problem: `it has the header ${key} twice` });
    found[key] = headers[at + 1]!;
  }
  return found;
}

/** Checks `Origin`. Browsers send it with each request that could change something. Programs do not send it. */
function requireOwnOrigin(origin: string | undefined, host: string, { origins }: GuardRules): void {
  if (origin === undefined || origins.has(origin)) return;
  const [, scheme, authority] = /^(https?):\/\/(.+)$/.exec(origin) ?? [];
  if (scheme === undefined || authority !== host.toLowerCase())
    throw new HttpError("ORIGIN_REFUSED", { problem: `its Origin is ${JSON.stringify(origin)}` });
}

/**
 * Checks `Sec-Fetch-Site`. With `none`, the user typed or opened an address, which may only read. A link on any site may open the
 * page in a tab, because its document is public, cannot be put into a frame, and changes nothing. A provider also sends users
 * back there after a sign-in.
 */
function requireOwnSite(values: Singles, method: string, target: string): void {
  const site = values["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  if (site === "none" && (method === "GET" || method === "HEAD")) return;
  const opensTab = values["sec-fetch-mode"] === "navigate" && values["sec-fetch-dest"] === "document";
  if (opensTab && method === "GET" && /^\/(?:signin(?:\/(?:callback|server))?)?(?:\?|$)/.test(target)) return;
  throw new HttpError("ORIGIN_REFUSED", { problem: `its Sec-Fetch-Site is ${JSON.stringify(site)}` });
}

function requireSmallBody(length: string | undefined, { maxBodyBytes }: GuardRules): void {
  if (length === undefined) return;
  if (!/^\d{1,15}$/.test(length))
    throw new HttpError("REQUEST_INVALID", { problem: "its Content-Length is not a number" });
  if (Number(length) > maxBodyBytes) throw new HttpError("BODY_TOO_LARGE", { maxBytes: maxBodyBytes });
}

/** Requires the media type of JSON. A page of another site can send a form or plain text without permission, but not JSON. */
function requireJson(values: Singles): void {
  if (
    values["content-length"] === "0" ||
    (values["content-length"] === undefined && !("content-type" in values))
  )
    return;
  const type = values["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new HttpError("MEDIA_TYPE_REFUSED", {});
}

function readBearer(authorization: string | undefined): string | null {
  return /^Bearer ([\w.~+/-]{8,8192}=*)$/i.exec(authorization ?? "")?.[1] ?? null;
}
