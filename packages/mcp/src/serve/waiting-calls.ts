import { systemClock, type Host, type ToolOutcome, type WorkRecord, type WorkStore } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";
import { SealKeys } from "./seal/seal-keys.ts";

/** The kind of the records of requests whose calls wait. */
const kind = "mcp-waiting";
/** How long a waiting call is known by its request, in milliseconds: 30 days. */
const keptMs = 30 * 86_400_000;
/** Requests after which old ones are deleted. */
const pruneEvery = 1_000;
/** Requests of one session that a host without a store remembers; the oldest make room. */
const maxHere = 1_000;

/** A ticket in the store. A type, since JSON has no interfaces. */
type Sealed = {
  /** The number of the key that sealed it. */
  readonly key: number;
  readonly sealed: string;
};

/**
 * The calls of one session that wait, by the digests of their requests: the same request again resumes its call. They are in
 * the host's store, so that it does so at every server; a host without a store remembers its own.
 */
export class WaitingCalls {
  readonly #host: Host;
  readonly #session: string;
  readonly #keys: SealKeys;
  readonly #here = new Map<string, string>();
  #count = 0;

  constructor(host: Host, session: string) {
    this.#host = host;
    this.#session = session;
    this.#keys = new SealKeys(host, systemClock);
  }

  /** Whether no request has to be looked up. A digest is made only where one may be: most calls of such a host never wait. */
  get isEmpty(): boolean {
    return this.#store === null && this.#here.size === 0;
  }

  /** The ticket of the call that waits for the same request. */
  async find(request: string): Promise<string | undefined> {
    if (this.#store === null) return this.#here.get(request);
    const found = await this.#store.get(kind, this.#idOf(request));
    return found === null ? undefined : this.#ticketOf(found, request);
  }

  /** Remembers a call that waits, and forgets one that has ended. */
  async note(request: string, { status, ticket }: ToolOutcome): Promise<void> {
    const waiting = status === "pending" ? ticket : undefined;
    if (this.#store === null) this.#noteHere(request, waiting);
    else await this.#save(this.#store, request, waiting);
  }

  get #store(): WorkStore | null {
    return this.#host.coordinator.get("work-store") as WorkStore | null;
  }

  #noteHere(request: string, ticket: string | undefined): void {
    this.#here.delete(request);
    if (ticket === undefined) return;
    this.#here.set(request, ticket);
    const [oldest] = this.#here.keys();
    if (this.#here.size > maxHere && oldest !== undefined) this.#here.delete(oldest);
  }

  /** Of two servers that note the same request together, the later one looks at what the other has noted. */
  async #save(store: WorkStore, request: string, ticket: string | undefined): Promise<void> {
    for (;;) {
      const found = await store.get(kind, this.#idOf(request));
      if ((found === null ? undefined : await this.#ticketOf(found, request)) === ticket) return;
      if (await store.save(await this.#record(request, ticket, found?.version ?? 0))) break;
    }
    if (this.#count++ % pruneEvery === 0)
      await store.remove(kind, ["waiting", "ended"], systemClock.now() - keptMs);
  }

  async #record(request: string, ticket: string | undefined, version: number): Promise<WorkRecord> {
    const at = systemClock.now();
    const body = ticket === undefined ? {} : await this.#seal(ticket, request);
    const status = ticket === undefined ? "ended" : "waiting";
    const facts = { kind, scope: "", sessionId: this.#session, userId: null, dueAt: null };
    return { ...facts, id: this.#idOf(request), version: version + 1, status, at, body };
  }

  /**
   * A ticket opens with the request, which the row does not have, and with a key of the store. So a person who sees the row alone, as
   * in a log of statements, cannot guess the arguments and open it. One who reads the whole store can.
   */
  async #seal(ticket: string, request: string): Promise<Sealed> {
    const { number, key } = await this.#keys.newest();
    return { key: number, sealed: encryptWithTicket(ticket, this.#keyOf(request, key)) };
  }

  /** Undefined also where the key is not kept any more: then the call is a new one. */
  async #ticketOf({ body }: WorkRecord, request: string): Promise<string | undefined> {
    const { key: number, sealed } = body as Partial<Sealed>;
    if (number === undefined || sealed === undefined) return undefined;
    const key = await this.#keys.find(number);
    return key && (decryptWithTicket(sealed, this.#keyOf(request, key))?.value as string | undefined);
  }

  #idOf(request: string): string {
    return digestOf([kind, this.#keyOf(request)]);
  }

  #keyOf(request: string, key?: Buffer): string {
    return `${this.#session}\n${request}${key === undefined ? "" : `\n${key.toString("base64url")}`}`;
  }
}
