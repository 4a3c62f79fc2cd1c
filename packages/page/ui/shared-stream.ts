import { readEvents, type ServerEvent } from "./api.ts";

/** Messages between the tabs of a browser that share a stream. */
type Message =
  | { readonly kind: "join"; readonly from: string }
  | { readonly kind: "event"; readonly event: ServerEvent; readonly to?: string }
  | { readonly kind: "lost" };

/**
 * Reads a stream of events that all tabs of this browser with the same person, `who`, share, because a browser allows only six
 * connections to a server. One tab holds a lock, reads the stream and passes its events on. When that tab closes, another tab
 * gets the lock and begins with a new `hello`. Without locks, which browsers offer only over HTTPS and on this machine, each tab
 * reads its own stream.
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

/**
 * Returns a name that only the tabs of one person and one stream have; null where browsers offer no locks. The token is not a
 * part of it, because it changes when it is renewed.
 */
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
    // If only this tab closes, another tab continues to read the stream. Otherwise the stream is lost for all tabs.
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

/** Creates a queue that yields events in their order, until it ends or fails. */
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
