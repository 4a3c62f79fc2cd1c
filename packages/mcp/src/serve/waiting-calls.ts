import { systemClock, type Host, type ToolOutcome, type WorkRecord, type WorkStore } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";

/** The kind of the records of requests whose calls wait. */
const kind = "mcp-waiting";
/** How long a waiting call is known by its request, in milliseconds: 30 days. */
const keptMs = 30 * 86_400_000;
/** Requests after which old ones are deleted. */
const pruneEvery = 1_000;
/** Requests of one session that a host without a store remembers; the oldest make room. */
const maxHere = 1_000;

/**
 * The calls of one session that wait, by the digests of their requests: the same request again resumes its call. They are in
 * the host's store, so that it does so at every server; a host without a store remembers its own.
 */
export class WaitingCalls {
  readonly #host: Host;
  readonly #session: string;
  readonly #here = new Map<string, string>();
  #count = 0;

  constructor(host: Host, session: string) {
    this.#host = host;
    this.#session = session;
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
      if ((found === null ? undefined : this.#ticketOf(found, request)) === ticket) return;
      if (await store.save(this.#record(request, ticket, found?.version ?? 0))) break;
    }
    if (this.#count++ % pruneEvery === 0)
      await store.remove(kind, ["waiting", "ended"], systemClock.now() - keptMs);
  }

  #record(request: string, ticket: string | undefined, version: number): WorkRecord {
    const at = systemClock.now();
    const body = ticket === undefined ? {} : { sealed: encryptWithTicket(ticket, this.#keyOf(request)) };
    const status = ticket === undefined ? "ended" : "waiting";
    const facts = { kind, scope: "", sessionId: this.#session, userId: null, dueAt: null };
    return { ...facts, id: this.#idOf(request), version: version + 1, status, at, body };
  }

  #ticketOf({ body }: WorkRecord, request: string): string | undefined {
    const { sealed } = body as { readonly sealed?: string };
    return sealed && (decryptWithTicket(sealed, this.#keyOf(request))?.value as string | undefined);
  }

  /** The ticket is opened with the session and the request: a person who reads the store has it only by knowing the arguments, too. */
  #idOf(request: string): string {
    return digestOf([kind, this.#keyOf(request)]);
  }

  #keyOf(request: string): string {
    return `${this.#session}\n${request}`;
  }
}
