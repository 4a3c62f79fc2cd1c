import { signal } from "@preact/signals";

/** Below this path the API is. */
const api = "/api/v1";

/** Under this name the token is kept until the tab is closed. */
const storageKey = "toolmount-token";

/** The name of the OpenID provider at which people sign in to this server; null when they enter a token. */
export const provider =
  document.querySelector<HTMLMetaElement>('meta[name="toolmount-provider"]')?.content ?? null;

/** Under this name a tab notes that its person went to the provider to sign in. */
const signingInKey = "toolmount-signing-in";

/** The token of this tab; null while there is none, or when the server refused it. */
export const token = signal<string | null>(takeToken());

/** Why the server refused the last token; empty when it did not. */
export const refusal = signal("");

/** An error as the server answers it. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * A link brings the token in its fragment, which browsers do not send; it must not stay in the address or the history. What
 * follows it is the view to open: `#token=tm_…&view=/inbox/ID`. A link of another person would make what is decided here
 * that person's: it brings a token only to a tab without one, and where people sign in at a provider only to a tab that went there.
 */
function takeToken(): string | null {
  const [, given, view = ""] = /^#token=([\w.~+/=-]+)(?:&view=(\/.*))?$/.exec(location.hash) ?? [];
  const went = sessionStorage.getItem(signingInKey) !== null;
  sessionStorage.removeItem(signingInKey);
  if (given !== undefined) {
    const isFree = provider === null ? sessionStorage.getItem(storageKey) === null : went;
    if (isFree) sessionStorage.setItem(storageKey, given);
    history.replaceState(null, "", location.pathname + (view === "" ? "" : `#${view}`));
  }
  return sessionStorage.getItem(storageKey);
}

/**
 * The tabs of this browser with this page. A tab that a link opened has no token yet: it asks the others. Their answer stays
 * in the browser, and pages of other origins do not hear it.
 */
const tabs = new BroadcastChannel("toolmount-tabs");
tabs.addEventListener(
  "message",
  ({ data }: MessageEvent<{ readonly asks?: true; readonly token?: string; readonly of?: string }>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
    if (data.asks === true && token.value !== null) tabs.postMessage({ token: token.value });
    else if (data.token !== undefined && token.value === (data.of ?? null) && !isSignedOut)
      enterToken(data.token);
  },
);
/** The person signed out here: then no other tab signs them in. */
let isSignedOut = false;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
if (token.value === null) tabs.postMessage({ asks: true });

/** The person leaves for the provider; the token that the tab comes back with is theirs. */
export function noteSignIn(): void {
  sessionStorage.setItem(signingInKey, "began");
}

/** Keeps a token that a person entered. */
export function enterToken(given: string): void {
  refusal.value = "";
  sessionStorage.setItem(storageKey, given);
  token.value = given;
}

/** The person leaves: this browser keeps nothing that could sign them in again. */
export async function signOut(): Promise<void> {
  isSignedOut = true;
  forgetToken();
  if (provider !== null) await fetch("/signin/out", { method: "POST" });
}

function forgetToken(): void {
  sessionStorage.removeItem(storageKey);
  token.value = null;
}

/** Asks the server, and reads its answer. Throws `ApiError`; without a valid token it also forgets the one there is. */
export async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await request(method, path, body);
  return (await response.json()) as Answer;
}

/** Reads a file of the server. */
export async function fetchFile(path: string): Promise<Blob> {
  return (await request("GET", path)).blob();
}

async function request(
  method: string,
  path: string,
  body?: unknown,
  extra: { readonly accept?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const used = token.value;
  const response = await send(method, path, body, extra);
  if (response.ok) return response;
  if (response.status === 401 && (await renewToken(used))) return request(method, path, body, extra);
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  if (response.status === 401) {
    forgetToken();
    refusal.value = `The server does not accept this token: ${detail}.`;
  }
  throw new ApiError(code, detail);
}

/**
 * Asks the server for the next token of a person who signed in at the provider, and returns whether there is one. The provider
 * takes what renews a token once, so one tab asks, and the other tabs take its answer.
 */
export async function renewToken(used: string | null): Promise<boolean> {
  // A token of the server's own file has no dots, and cannot be renewed.
  if (provider === null || isSignedOut || used?.includes(".") === false) return false;
  const renew = async () => {
    if (token.value !== used) return token.value !== null;
    const response = await fetch("/signin/renew", { method: "POST" });
    if (response.status === 401) return false;
    const answer = (await response.json()) as { token: string; code: string; detail: string };
    if (!response.ok) throw new ApiError(answer.code, answer.detail);
    enterToken(answer.token);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
    if (used !== null) tabs.postMessage({ token: answer.token, of: used });
    return true;
  };
  return isSecureContext ? navigator.locks.request("toolmount-renew", renew) : renew();
}

function send(
  method: string,
  path: string,
  body: unknown,
  extra: { readonly accept?: string; readonly signal?: AbortSignal },
): Promise<Response> {
  return fetch(api + path, {
    method,
    headers: {
      authorization: `Bearer ${token.value ?? ""}`,
      ...(extra.accept !== undefined && { accept: extra.accept }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(extra.signal !== undefined && { signal: extra.signal }),
  });
}

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads a stream of events until it ends. A fetch can send the token in a header, which an EventSource cannot. */
export async function* readEvents(
  method: string,
  path: string,
  ended: AbortSignal,
  body?: unknown,
): AsyncGenerator<ServerEvent> {
  const response = await request(method, path, body, { accept: "text/event-stream", signal: ended });
  let rest = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? "message";
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? "null";
      yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
