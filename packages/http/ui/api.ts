import { signal } from "@preact/signals";

/** Below this path the API is. */
const api = "/api/v1";

/** Under this name the token is kept until the tab is closed. */
const storageKey = "toolmount-token";

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
 * follows it is the view to open: `#token=tm_…&view=/inbox/ID`.
 */
function takeToken(): string | null {
  const [, given, view = ""] = /^#token=([\w.~+/=-]+)(?:&view=(\/.*))?$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(storageKey, given);
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
  ({ data }: MessageEvent<{ readonly asks?: true; readonly token?: string }>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
    if (data.asks === true && token.value !== null) tabs.postMessage({ token: token.value });
    else if (data.token !== undefined && token.value === null && !isSignedOut) enterToken(data.token);
  },
);
/** The person signed out here: then no other tab signs them in. */
let isSignedOut = false;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
if (token.value === null) tabs.postMessage({ asks: true });

/** Keeps a token that a person entered. */
export function enterToken(given: string): void {
  refusal.value = "";
  sessionStorage.setItem(storageKey, given);
  token.value = given;
}

/** Forgets the token. */
export function forgetToken(): void {
  isSignedOut = true;
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
  const response = await fetch(api + path, {
    method,
    headers: {
      authorization: `Bearer ${token.value ?? ""}`,
      ...(extra.accept !== undefined && { accept: extra.accept }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(extra.signal !== undefined && { signal: extra.signal }),
  });
  if (response.ok) return response;
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  if (response.status === 401) {
    forgetToken();
    refusal.value = `The server does not accept this token: ${detail}.`;
  }
  throw new ApiError(code, detail);
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
