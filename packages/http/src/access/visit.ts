import type { IncomingMessage, ServerResponse } from "node:http";

/** A request of a browser that goes to a provider or returns from it. */
export interface Visit {
  readonly query: URLSearchParams;
  /** The address of this server, without a slash at its end. */
  readonly base: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Creates the visit of a request. `base` is the address of this server for browsers. */
export function visitOf(base: string, request: IncomingMessage, response: ServerResponse): Visit {
  return { query: new URL(request.url ?? "", base).searchParams, base, request, response };
}

/** Seconds for which a browser keeps a cookie. With `Lax`, the browser also sends it when a link on another site is followed. */
interface CookieWay {
  readonly seconds: number;
  readonly sameSite: "Lax" | "Strict";
}

/** Returns the name of a cookie. It contains the port, because browsers share cookies between all ports of a machine. */
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

/** Returns the value of a cookie; empty if the request does not have it. */
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
