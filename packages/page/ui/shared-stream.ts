import { readEvents, type ServerEvent } from "./api.ts";

/** What the tabs of a browser say to each other about one stream. */
type Message =
  | { readonly kind: "join"; readonly from: string }
  | { readonly kind: "event"; readonly event: ServerEvent; readonly to?: string }
  | { readonly kind: "lost" };

/**
 * Reads a stream of events that all tabs of this browser share in which the same person, `who`, sees the same: a browser has six connections to a
 * server. The tab that holds the lock reads the stream and passes its events on; when it closes, the lock goes to another
 * tab, which begins with a new `hello`. Without locks, which a page has over HTTPS and on this machine, each tab reads its own.
 */
export async function* sharedEvents(
  path: string,
  who: string,
  ended: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const name = await nameOf(path, who);
  if (name === null) yield* readEvents("GET", path, ended);
  else yield* withTabs(name, path, ended);
}

/** The tabs of one person. Tokens that are renewed change, and the person does not. */
async function nameOf(path: string, who: string): Promise<string | null> {
  if (!isSecureContext) return null;
  const bytes = new TextEncoder().encode(`${path} ${who}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `toolmount ${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function* withTabs(name: string, path: string, ended: AbortSignal): AsyncGenerator<ServerEvent> {
  const over = new AbortController();
  const signal = AbortSignal.any([ended, over.signal]);
  const queue = createQueue(signal);
  const channel = new BroadcastChannel(name);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
  const say = (message: Message) => channel.postMessage(message);
  const self = crypto.randomUUID();
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "lost") queue.end();
    else if (data.kind === "event" && (data.to ?? self) === self) queue.add(data.event);
  });
  const lead = async () => {
    let hello: ServerEvent | null = null;
    channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if (data.kind === "join" && hello !== null) say({ kind: "event", event: hello, to: data.from });
    });
    try {
      for await (const event of readEvents("GET", path, signal)) {
        hello ??= event;
        queue.add(event);
        say({ kind: "event", event });
      }
      queue.end();
    } catch (error) {
      queue.end(error);
    }
    // Where this tab only leaves, another one takes the stream.
    if (!signal.aborted) say({ kind: "lost" });
  };
  navigator.locks.request(name, { signal }, lead).catch(() => queue.end());
  say({ kind: "join", from: self });
  try {
    yield* queue.events();
  } finally {
    over.abort();
    channel.close();
  }
}

/** Events in their order, until the end or an error. */
function createQueue(signal: AbortSignal) {
  const waiting: ServerEvent[] = [];
  let isOver = false;
  let failure: unknown;
  let wake = () => {};
  const end = (error?: unknown) => {
    isOver = true;
    failure ??= error;
    wake();
  };
  signal.addEventListener("abort", () => end());
  return {
    add(event: ServerEvent) {
      waiting.push(event);
      wake();
    },
    end,
    async *events(): AsyncGenerator<ServerEvent> {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (!isOver) await new Promise<void>((resolve) => (wake = resolve));
        else if (failure === undefined) return;
        else throw failure;
      }
    },
  };
}
