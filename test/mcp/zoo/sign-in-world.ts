import { silentLogger } from "@toolmount/core";
import { signIn as signInTo } from "@toolmount/mcp";
import { expect } from "vitest";
import { startProtectedServer, type Odd, type ProtectedServer } from "../support/authorization-server.ts";
import { browse } from "../support/sign-in.ts";
import { folderOf, open, planOf } from "../support/world.ts";

/** One thing that a server which people sign in to does otherwise than expected, and what a host makes of it. */
export interface SignInRow {
  /** Where people met it. */
  readonly thread: string;
  readonly server: string;
  readonly host: string;
  /** Shows it, with a server of a few lines. */
  readonly run: () => Promise<void>;
}

/** Our own row, beside those that people met. */
export const none = "–";

const name = "fixture";
export const call = { name: "greet" };
export const greeted = { status: "ok", result: { data: "hello" } };

type Auth = (origin: string) => object;

/** The servers of a row: the person signs in, and a host is opened. */
export async function world(odd?: Odd, authOf: Auth = () => ({})) {
  const server = await startProtectedServer(odd);
  const { url } = server;
  const folder = await folderOf();
  const auth = authOf(new URL(url).origin);
  const signIn = ({ signal, shown }: { signal?: AbortSignal; shown?: () => void } = {}) =>
    signInTo({
      settings: { url, name, auth },
      folder,
      signal,
      open: async (address) => {
        await browse(address);
        shown?.();
      },
    });
  const host = () => open(planOf({ url, auth }), { cwd: folder, logger: silentLogger });
  return { server, signIn, host };
}

/** The person is signed in; calls are answered with the first token, and with a renewed one. */
export function signsIn(
  odd: Odd,
  { auth, check }: { auth?: Auth; check?: (server: ProtectedServer) => void } = {},
) {
  return async () => {
    const { server, signIn, host } = await world(odd, auth);
    expect(await signIn()).toMatchObject({ state: "signed in", renewable: true });
    const opened = await host();
    expect(await opened.call(call)).toMatchObject(greeted);
    for (let round = 0; round < 2; round++) {
      server.expire();
      expect(await opened.call(call)).toMatchObject(greeted);
    }
    check?.(server);
  };
}

export function refuses(odd: Odd, why: RegExp) {
  return async () => {
    const { signIn } = await world(odd);
    await expect(signIn()).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      message: expect.stringMatching(why),
    });
  };
}

/** Changes the JSON that is answered at an address. */
export function json(path: string, edit: (given: Record<string, unknown>, origin: string) => object): Odd {
  return async (request, usual, { origin }) => {
    const response = await usual(request);
    if (new URL(request.url).pathname !== path || !response.ok) return response;
    return Response.json(edit((await response.json()) as Record<string, unknown>, origin), {
      status: response.status,
    });
  };
}

export const resource = "/.well-known/oauth-protected-resource/mcp";
export const metadata = "/.well-known/oauth-authorization-server";
export const without = (given: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(given).filter(([member]) => !names.includes(member)));

/** Which method a request of MCP asks for. */
export async function methodOf(request: Request): Promise<string> {
  const text = request.method === "POST" ? await request.clone().text() : "{}";
  return text.startsWith("{") ? String((JSON.parse(text) as { method?: string }).method) : "";
}

export function withToken(request: Request, token: string): Request {
  const next = new Request(request);
  next.headers.set("authorization", `Bearer ${token}`);
  return next;
}

/** An answer that does not say where metadata are. */
export function unchallenged({ status, headers: given, body }: Response): Response {
  const headers = new Headers(given);
  headers.delete("www-authenticate");
  return new Response(body, { status, headers });
}
