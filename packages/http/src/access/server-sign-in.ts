import type { Logger } from "@toolmount/core";
import { isToolmountError } from "@toolmount/core";
import { HttpError } from "../fault/http-error.ts";
import { cookieText, readCookie, setCookie, type Visit } from "./visit.ts";

/** The path to which a provider sends a browser back after a sign-in for a mounted server. */
export const returnPath = "/signin/server";

/** A sign-in for a mounted server that began in a browser and has not ended. */
export interface StartedSignIn {
  readonly host: string;
  readonly server: string;
  /** The user for whom the credentials are stored; null for those of the host. */
  readonly user: string | null;
  readonly state: string;
}

/** Ends a sign-in. `parameters` are those of the address at which the browser returned from the provider. */
export type ComesBack = (parameters: URLSearchParams, started: StartedSignIn) => Promise<unknown>;

/** Seconds within which a user must sign in at the provider. */
const startedSeconds = 600;

/**
 * Returns the part of a cookie's name for one sign-in, because several sign-ins may be open in one browser. For an invalid
 * `state`, no cookie has the name.
 */
const useOf = (state: string) => (/^[\w-]{16,64}$/.test(state) ? `server-${state.slice(0, 16)}` : "server-");

/**
 * Returns the cookie with which only this browser can end a sign-in. It is not signed, because a sign-in is found only by its
 * `state`, which other browsers do not know.
 */
export function startedCookie(base: string, started: StartedSignIn): string {
  const kept = Buffer.from(JSON.stringify(started)).toString("base64url");
  return cookieText({ base }, useOf(started.state), kept, { seconds: startedSeconds, sameSite: "Lax" });
}

/**
 * Ends the sign-in of a user who returns from the provider of a mounted server. Then redirects to the page, which shows the
 * result.
 */
export async function answerComesBack(visit: Visit, comesBack: ComesBack, logger: Logger): Promise<void> {
  const { method = "" } = visit.request;
  if (method !== "GET") throw new HttpError("METHOD_REFUSED", { method });
  const state = visit.query.get("state") ?? "";
  const started = readStarted(visit, state);
  if (started === null) return toPage(visit, { refused: "SIGN_IN_REFUSED" });
  setCookie(visit, useOf(state), "", { seconds: 0, sameSite: "Lax" });
  const { host, server } = started;
  try {
    await comesBack(visit.query, started);
    return toPage(visit, { server, host, signed: "in" });
  } catch (err) {
    logger.warn({ err, server }, "a person could not sign in to a mounted server");
    const code = isToolmountError(err) || err instanceof HttpError ? err.code : "SERVER_FAILED";
    return toPage(visit, { server, host, refused: code });
  }
}

function readStarted(visit: Visit, state: string): StartedSignIn | null {
  try {
    const text = Buffer.from(readCookie(visit, useOf(state)), "base64url").toString("utf8");
    const started = JSON.parse(text) as Record<string, unknown>;
    const { host, server, user } = started;
    const isWhole = [host, server].every((value) => typeof value === "string");
    if (!isWhole || !(user === null || typeof user === "string") || started["state"] !== state) return null;
    return { host, server, user, state } as StartedSignIn;
  } catch {
    return null;
  }
}

interface Shown {
  readonly server?: string;
  readonly host?: string;
  readonly signed?: string;
  readonly refused?: string;
}

function toPage({ response }: Visit, { server, ...filter }: Shown): void {
  const query = new URLSearchParams(Object.entries(filter)).toString();
  const path = server === undefined ? "" : `/${encodeURIComponent(server)}`;
  response.writeHead(302, { location: `/#/servers${path}?${query}` }).end();
}
