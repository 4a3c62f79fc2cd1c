import type { IncomingMessage, ServerResponse } from "node:http";

/** One request of a browser on its way to or from a provider. */
export interface Visit {
  readonly query: URLSearchParams;
  /** The address of this server, without a slash at its end. */
  readonly base: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Reads a request of a server that browsers reach at `base`. */
export function visitOf(base: string, request: IncomingMessage, response: ServerResponse): Visit {
  return { query: new URL(request.url ?? "", base).searchParams, base, request, response };
}

/** For how long a browser keeps a cookie, and whether links of other sites send it. */
interface CookieWay {
  readonly seconds: number;
  readonly sameSite: "Lax" | "Strict";
}

/** Cookies are of a name and a path, not of a port: two servers on one machine must not read each other's. */
const cookieName = (base: string, use: string) => `toolmount-${use}-${new URL(base).port || "0"}`;

export function setCookie(visit: Visit, use: string, value: string, way: CookieWay): void {
  visit.response.appendHeader("set-cookie", cookieText(visit, use, value, way));
}

/** A cookie that only requests below `/signin` bring, and no script reads. */
export function cookieText(
  { base }: Pick<Visit, "base">,
  use: string,
  value: string,
  { seconds, sameSite }: CookieWay,
): string {
  const secure = base.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(base, use)}=${encodeURIComponent(value)}; Path=/signin; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
}

/** The value of a cookie; empty without it. */
export function readCookie(visit: Visit, use: string): string {
  const name = cookieName(visit.base, use);
  for (const part of (visit.request.headers.cookie ?? "").split("; ")) {
    const [key, value = ""] = part.split("=", 2);
    if (key === name) return decoded(value);
  }
  return "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
