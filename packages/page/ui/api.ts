import { signal } from "@preact/signals";

/** How requests reach the server, and what happens when it refuses a token. */
interface Way {
  /** The address before `/api/v1`; empty on the server's own page. */
  readonly base: string;
  /** Gets a new token in place of the used one. Resolves to whether there is a new token. */
  readonly renew: (used: string | null) => Promise<boolean>;
  /** Forgets the token that the server refused. */
  readonly refused: () => void;
}

let way: Way = {
  base: "",
  renew: () => Promise.resolve(false),
  refused: () => (token.value = null),
};

/** Changes some parts of how requests reach the server; the others stay. */
export function reach(given: Partial<Way>): void {
  way = { ...way, ...given };
}

/** The token of this tab: null before there is one and after the server refused it; empty if requests need none. */
export const token = signal<string | null>(null);

/** Why the server refused the last token, as a sentence; empty if it did not. */
export const refusal = signal("");

/** An error response of the server. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends a request, and returns the JSON of the response. Throws `ApiError` for an error response. A refused token is renewed or
 * forgotten.
 */
export async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await request(method, path, body);
  return (await response.json()) as Answer;
}

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
  let response = await send(method, path, body, extra);
  // Renewed only once, because the server may refuse the new token, too.
  if (response.status === 401 && (await way.renew(used))) response = await send(method, path, body, extra);
  if (response.ok) return response;
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  if (response.status === 401) {
    way.refused();
    refusal.value = `The server does not accept this token: ${detail}.`;
  }
  throw new ApiError(code, detail);
}

function send(
  method: string,
  path: string,
  body: unknown,
  extra: { readonly accept?: string; readonly signal?: AbortSignal },
): Promise<Response> {
  return fetch(`${way.base}/api/v1${path}`, {
    method,
    headers: {
      ...(token.value !== "" && { authorization: `Bearer ${token.value ?? ""}` }),
      ...(extra.accept !== undefined && { accept: extra.accept }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(extra.signal !== undefined && { signal: extra.signal }),
  });
}

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads a stream of events until it ends. Uses fetch, because an EventSource cannot send the token in a header. */
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
