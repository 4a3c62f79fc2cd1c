import type { IncomingMessage, ServerResponse } from "node:http";

/** One request of a browser on its way to or from a provider. */
export interface Visit {
  readonly query: URLSearchParams;
  /** The address of this server, without a slash at its end. */
  readonly base: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Creates the visit of a request; browsers reach the server at `base`. */
export function visitOf(base: string, request: IncomingMessage, response: ServerResponse): Visit {
  return { query: new URL(request.url ?? "", base).searchParams, base, request, response };
}

/** How long a browser keeps a cookie, and whether it sends the cookie when a link of another site is followed. */
interface CookieWay {
  readonly seconds: number;
  readonly sameSite: "Lax" | "Strict";
}

/** Names a cookie. The name contains the port, because browsers share cookies between ports of one machine. */
const cookieName = (base: string, use: string) => `toolmount-${use}-${new URL(base).port || "0"}`;

export function setCookie(visit: Visit, use: string, value: string, way: CookieWay): void {
  visit.response.appendHeader("set-cookie", cookieText(visit, use, value, way));
}

/** Returns a cookie that browsers send only to paths below `/signin`, and that no script can read. */
export function cookieText(
  { base }: Pick<Visit, "base">,
  use: string,
  value: string,
  { seconds, sameSite }: CookieWay,
): string {
  const secure = base.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(base, use)}=${encodeURIComponent(value)}; Path=/signin; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
}

/** Returns the value of a cookie; empty without it. */
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
