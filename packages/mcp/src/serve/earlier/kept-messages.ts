import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { systemClock, type Host } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";
import { KeptWork } from "../../wire/kept-work.ts";

const kind = "mcp-message";
/** How long a message is kept, in milliseconds. A client whose connection broke comes back at once. */
const keptMs = 600_000;
/** Longest message that is kept, in characters of its JSON. */
const maxKept = 1_048_576;
/** Milliseconds between two looks for messages that another server stored. */
const lookMs = 250;
/**
 * Milliseconds after which a client that reads on has to come back, because proxies end connections that are silent for longer.
 */
const waitMs = 20_000;

/** The stream with the answer to one request of a session. */
interface MessageStream {
  readonly session: string;
  readonly stream: string;
}

/**
 * The messages that were sent on the streams of requests, in the host's store. They are encrypted with a key that only the
 * client and its server know. For a host without a store, nothing is kept.
 */
export class KeptMessages {
  readonly #kept: KeptWork;
  readonly #onError: (error: Error) => void;

  constructor(host: Host, onError: (error: Error) => void = () => {}) {
    this.#kept = new KeptWork(host, kind, { keptMs, statuses: ["kept"] });
    this.#onError = onError;
  }

  /** Whether other servers can have stored messages. */
  get hasStore(): boolean {
    return this.#kept.isShared;
  }

  /** Stores a message. It is sent at the same time, so no client waits for the store. */
  add(of: MessageStream, id: string, message: JSONRPCMessage): void {
    // The first event of a stream has no message.
    if (!this.hasStore || !("jsonrpc" in message) || JSON.stringify(message).length > maxKept) return;
    const sessionId = nameOf(of);
    const record = this.#kept.draft({ id: `${sessionId}.${numberOf(id)}`, sessionId });
    const kept: Kept = { id, message };
    this.#kept.save(record, { body: { sealed: encryptWithTicket(kept, keyOf(of)) } }).catch(this.#onError);
  }

  /** Sends the messages after the event `last`, in order, until the request is answered or the client has to come back. */
  async follow(
    of: MessageStream,
    last: string,
    send: (id: string, message: JSONRPCMessage) => Promise<void>,
  ): Promise<void> {
    let read = numberOf(last);
    for (const end = systemClock.now() + waitMs; systemClock.now() < end; await delay(lookMs)) {
      for (const { id, message } of await this.#messagesOf(of, read)) {
        await send(id, message);
        if (isResponse(message)) return;
        read = numberOf(id);
      }
    }
  }

  async #messagesOf(of: MessageStream, after: number) {
    return (await this.#kept.ofSession(nameOf(of)))
      .flatMap(({ body }) => (decryptWithTicket(body["sealed"] as string, keyOf(of))?.value as Kept) ?? [])
      .filter(({ id }) => numberOf(id) > after)
      .toSorted((one, other) => numberOf(one.id) - numberOf(other.id));
  }
}

interface Kept {
  readonly id: string;
  readonly message: JSONRPCMessage;
}

/** Returns the name of a stream in the store, from which its key cannot be computed. */
function nameOf(of: MessageStream): string {
  return digestOf([kind, keyOf(of)]);
}

function keyOf({ session, stream }: MessageStream): string {
  return `${session}\n${stream}`;
}

function numberOf(id: string): number {
  return Number.parseInt(id, 10);
}

function isResponse(message: JSONRPCMessage): boolean {
  return "result" in message || "error" in message;
}
