import { randomUUID } from "node:crypto";
import { type Clock, type Host, type Json, type WorkRecord, type WorkStore } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket, workStoreOf } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";
import { HttpError } from "../fault/http-error.ts";
import { repeat } from "./repeat.ts";

/** Milliseconds for which a key returns its first answer. */
const keepMs = 86_400_000;
/** After this many new keys, old keys are deleted. */
const pruneEvery = 1_000;

interface KeyedRequest {
  readonly key: string;
  /** Who uses the key, because others may choose the same text. */
  readonly owner: string;
  /** The content of the request. The same key with another content is refused. */
  readonly request: unknown;
}

/** The work of a request with an idempotency key. */
export interface KeyedWork<Answer> {
  /** Does the work for the first time. `keep` stores a note with which the work can be continued after a crash. */
  run(keep: (note: Json) => Promise<void>): Promise<Answer>;
  /** Continues the work after a crash of the server that began it at `began`. `note` is what `keep` stored last, or null. */
  recover(note: Json, keep: (note: Json) => Promise<void>, began: number): Promise<Answer>;
}

/**
 * Keeps the first answer to each idempotency key for 24 hours. A client that did not get the answer asks again, and nothing
 * happens twice, even if the server was killed. The store only has a hash of the key, and the answer is encrypted with the key.
 */
export class FirstAnswers {
  readonly #store: WorkStore;
  readonly #clock: Clock;
  readonly #scope: string;
  readonly #leaseMs: number;
  readonly #server = randomUUID();
  readonly #running = new Map<string, Promise<Json>>();
  #count = 0;

  constructor(host: Host, clock: Clock, scope: string, leaseMs: number) {
    this.#store = workStoreOf(host);
    this.#clock = clock;
    this.#scope = scope;
    this.#leaseMs = leaseMs;
  }

  /**
   * Does the work, or returns the first answer. Throws `IDEMPOTENCY_KEY_REUSED` if the key had another request, and
   * `IDEMPOTENCY_KEY_BUSY` as long as another server may be doing the work.
   */
  async once<Answer extends Json>(
    { key, owner, request }: KeyedRequest,
    work: KeyedWork<Answer>,
  ): Promise<{ readonly answer: Answer; readonly isFirst: boolean }> {
    const secret = `${this.#scope}\n${owner}\n${key}`;
    const id = digestOf(["idempotency", secret]);
    const digest = digestOf(request);
    const claimed = await this.#claim(id, digest);
    if (claimed === "here") return { answer: (await this.#running.get(id)) as Answer, isFirst: false };
    if (claimed.status === "ended") {
      const kept = decryptWithTicket(claimed.body["answer"] as string, secret);
      if (kept !== null) return { answer: kept.value as Answer, isFirst: false };
      throw new HttpError("IDEMPOTENCY_KEY_REUSED", {});
    }
    const running = this.#run(claimed, secret, work);
    running.catch(() => {});
    this.#running.set(id, running);
    try {
      return { answer: (await running) as Answer, isFirst: true };
    } finally {
      this.#running.delete(id);
    }
  }

  /**
   * Returns the record of a key if this server may do its work now, or if the work has ended; `"here"` if this process is doing
   * it. Throws as {@link once} does.
   */
  async #claim(id: string, digest: string): Promise<WorkRecord | "here"> {
    for (;;) {
      const now = this.#clock.now();
      const found = await this.#store.get("key", id);
      const isOver = found !== null && (found.status === "free" || now - found.at > keepMs);
      if (found === null || isOver) {
        const first = this.#record(id, (found?.version ?? 0) + 1, digest, null);
        if (await this.#store.save(first)) return this.#pruned(first);
        continue;
      }
      if (found.body["digest"] !== digest) throw new HttpError("IDEMPOTENCY_KEY_REUSED", {});
      if (found.status === "ended") return found;
      if (this.#running.has(id)) return "here";
      const leftMs = (found.dueAt ?? 0) - now;
      if (leftMs > 0) throw new HttpError("IDEMPOTENCY_KEY_BUSY", { seconds: Math.ceil(leftMs / 1_000) });
      const own = this.#record(id, found.version + 1, digest, found.body["note"] ?? null);
      const next = { ...own, at: found.at, body: { ...own.body, crashed: true } };
      if (await this.#store.save(next)) return next;
    }
  }

  #record(id: string, version: number, digest: string, note: Json): WorkRecord {
    const at = this.#clock.now();
    const body = { digest, note, server: this.#server };
    const facts = { kind: "key", scope: this.#scope, status: "running", sessionId: null, userId: null };
    return { ...facts, id, version, at, dueAt: at + this.#leaseMs, body };
  }

  async #run(claimed: WorkRecord, secret: string, work: KeyedWork<Json>): Promise<Json> {
    let record = claimed;
    let saving: Promise<unknown> = Promise.resolve();
    const change = (fields: Partial<WorkRecord>) =>
      (saving = saving.then(async () => {
        const next = { ...record, ...fields, version: record.version + 1 };
        if (await this.#store.save(next)) record = next;
      }));
    const keep = async (note: Json) => {
      const sealed = encryptWithTicket(note, secret);
      await change({ body: { ...record.body, note: sealed } });
    };
    const stop = this.#renew(() => void change({ dueAt: this.#clock.now() + this.#leaseMs }));
    try {
      const { note = null, crashed } = record.body;
      const known = typeof note === "string" ? (decryptWithTicket(note, secret)?.value ?? null) : null;
      const answer = await (crashed === true ? work.recover(known as Json, keep, record.at) : work.run(keep));
      const kept = encryptWithTicket(answer, secret);
      await change({
        status: "ended",
        dueAt: null,
        body: { digest: record.body["digest"] ?? "", answer: kept },
      });
      return answer;
    } catch (error) {
      // A request that this server refused had no effect, so the key can be used again. Other errors may come after an effect.
      const isFree = error instanceof HttpError && record.body["crashed"] !== true;
      const body = { ...record.body, crashed: true };
      await change(isFree ? { status: "free", dueAt: null } : { dueAt: this.#clock.now(), body });
      throw error;
    } finally {
      stop();
    }
  }

  #renew(act: () => void): () => void {
    return repeat(this.#clock, this.#leaseMs / 3, act);
  }

  async #pruned(first: WorkRecord): Promise<WorkRecord> {
    if (this.#count++ % pruneEvery === 0)
      await this.#store.remove("key", ["ended", "free", "running"], this.#clock.now() - 2 * keepMs);
    return first;
  }
}
