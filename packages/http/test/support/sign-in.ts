import type { IncomingMessage, ServerResponse } from "node:http";
import { silentLogger } from "@toolmount/core";
import { createPageSignIn } from "@toolmount/http";
import { onTestFinished, vi } from "vitest";

export const issuer = "https://id.example";
export const base = "https://tools.example";
export const clientId = "page";

/** A token about a person, as a provider signs it: its signature is for the check of the API. */
export function idToken(nonce: string, more: object = {}): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, aud: clientId, sub: "olga", iat: now, exp: now + 600, nonce, ...more };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part(claims)}.c2ln`;
}

type Answer = (form: URLSearchParams) => Response;

/** The sign-in of a page at a provider whose answers are the test's. */
export async function signInWorld({ roles = ["call"] }: { roles?: string[] } = {}) {
  const asked: [string, Record<string, string>][] = [];
  const answers: Record<string, Answer> = {};
  vi.stubGlobal("fetch", async (to: string | URL, init: RequestInit = {}) => {
    const { pathname } = new URL(to);
    if (pathname.startsWith("/.well-known"))
      return Response.json({
        issuer,
        jwks_uri: `${issuer}/keys`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
      });
    const form = new URLSearchParams(init.body as URLSearchParams);
    asked.push([pathname, Object.fromEntries(form)]);
    return answers[pathname]!(form);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const logged: unknown[][] = [];
  const logger = { ...silentLogger, warn: (...words: unknown[]) => void logged.push(words) };
  const judged: string[] = [];
  const authenticate = async (token: string) => {
    judged.push(token);
    return token.startsWith("good") ? ({ name: "olga", roles: new Set(roles) } as never) : null;
  };
  const signIn = await createPageSignIn({ issuer, clientId, audience: `${base}/api`, authenticate, logger });
  const visit = async (method: string, path: string, cookies: Record<string, string> = {}) => {
    const [status, headers, set, body] = [
      [] as number[],
      {} as Record<string, string>,
      [] as string[],
      [] as string[],
    ];
    const response = {
      appendHeader: (_: string, value: string) => void set.push(value),
      writeHead(code: number, given: Record<string, string>) {
        status.push(code);
        Object.assign(headers, given);
        return { end: (text = "") => void body.push(text) };
      },
    };
    const cookie = Object.entries(cookies)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("; ");
    const request = { method, url: path, headers: { cookie }, socket: { remoteAddress: "127.0.0.1" } };
    const [route] = path.split("?");
    await signIn.answer(
      route!,
      base,
      request as unknown as IncomingMessage,
      response as unknown as ServerResponse,
    );
    return { status: status[0], headers, set, body: body[0] };
  };
  /** What a browser keeps after it began. */
  const begin = async (view = "") => {
    const { headers, set } = await visit("GET", `/signin?view=${encodeURIComponent(view)}`);
    const kept = decodeURIComponent(/^toolmount-start-0=([^;]*)/.exec(set[0]!)![1]!);
    const started = JSON.parse(Buffer.from(kept, "base64url").toString()) as Record<string, string>;
    return { location: new URL(headers["location"]!), set, kept, started };
  };
  const back = async (query: (started: Record<string, string>) => string, view = "") => {
    const { kept, started } = await begin(view);
    return visit("GET", `/signin/callback?${query(started)}`, { "toolmount-start-0": kept });
  };
  const grant =
    (more: object = {}): Answer =>
    () =>
      Response.json({ access_token: "good token", token_type: "bearer", ...more });
  return { signIn, asked, answers, logged, judged, visit, begin, back, grant };
}
