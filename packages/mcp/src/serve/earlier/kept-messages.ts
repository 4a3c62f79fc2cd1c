import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { systemClock, type Host } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";
import { KeptWork } from "../../wire/kept-work.ts";

const kind = "mcp-message";
/** How long a message is kept, in milliseconds: a client whose connection broke comes back at once. */
const keptMs = 600_000;
/** Most characters of a message that is kept. */
const maxKept = 1_048_576;
/** Milliseconds between two looks for messages of another server. */
const lookMs = 250;
/** Milliseconds after which a client that reads on is sent away, to come back: proxies end what is silent for longer. */
const waitMs = 20_000;

/** A stream of the answer to a request of a session. */
interface MessageStream {
  readonly session: string;
  readonly stream: string;
}

/**
 * What is sent on the streams of requests, in the host's store. The store has it encrypted with what only the client and its
 * server know. A host without a store keeps nothing.
 */
export class KeptMessages {
  readonly #kept: KeptWork;
  readonly #onError: (error: Error) => void;

  constructor(host: Host, onError: (error: Error) => void = () => {}) {
    this.#kept = new KeptWork(host, kind, { keptMs, statuses: ["kept"] });
    this.#onError = onError;
  }

  /** Whether other servers can have kept something. */
  get hasStore(): boolean {
    return this.#kept.isShared;
  }

  /** Keeps a message. It is sent meanwhile: no client waits for the store. */
  add(of: MessageStream, id: string, message: JSONRPCMessage): void {
    // The first event of a stream has no message.
    if (!this.hasStore || !("jsonrpc" in message) || JSON.stringify(message).length > maxKept) return;
    const sessionId = nameOf(of);
    const record = this.#kept.draft({ id: `${sessionId}.${numberOf(id)}`, sessionId });
    const kept: Kept = { id, message };
    this.#kept.save(record, { body: { sealed: encryptWithTicket(kept, keyOf(of)) } }).catch(this.#onError);
  }

  /** Sends the messages after an event, in order, until the request is answered, or the client has to come back. */
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

/** The name of a stream in the store, from which nothing can be opened. */
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
