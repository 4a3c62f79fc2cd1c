import { systemClock, type Host, type JsonObject, type WorkRecord, type WorkStore } from "@toolmount/core";
import { meter } from "@toolmount/core/json";
import { z } from "zod";

/** How long a session is kept from its beginning, in milliseconds: 30 days. A client then connects again. */
const keptMs = 30 * 86_400_000;
/** Sessions after which old ones are deleted. */
const pruneEvery = 1_000;
/** Most characters of the JSON that is kept of one session. */
const maxKept = 65_536;

const kind = "mcp-session";

/** What a client has stated in its session. */
const statedSchema = z.object({
  /** The parameters of `initialize`. */
  introduction: z.record(z.string(), z.json()),
  /** The level of its log messages. */
  level: z.string().optional(),
  /** The resources that it watches. */
  watched: z.array(z.string()).default([]),
});

export type Stated = z.output<typeof statedSchema>;

/**
 * The sessions of clients from before 2026 in the host's store: what such a client says once, every server must know. A
 * host without a store keeps none, and a session of more than 64 KiB is not kept either: its own server alone knows it.
 */
export class KeptSessions {
  readonly #host: Host;
  #count = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  get #store(): WorkStore | null {
    return this.#host.coordinator.get("work-store") as WorkStore | null;
  }

  async add(id: string, owner: string, introduction: Stated["introduction"]): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    const at = systemClock.now();
    if (this.#count++ % pruneEvery === 0) await store.remove(kind, ["open", "ended"], at - keptMs);
    const first = { kind, id, version: 0, scope: owner, status: "open", sessionId: null, userId: null };
    await save(store, { ...first, at, dueAt: null, body: {} }, { introduction, watched: [] });
  }

  /** What the client of a session has stated; null for one that has ended, is not kept, or is of another owner. */
  async find(id: string, owner: string): Promise<Stated | null> {
    const record = await this.#open(id);
    return record === null || record.scope !== owner ? null : statedOf(record);
  }

  /** Keeps what the client says about its session. Of two servers that change it together, the later one tries again. */
  async change(id: string, change: (stated: Stated) => Stated): Promise<void> {
    for (;;) {
      const record = await this.#open(id);
      if (record === null || (await save(this.#store!, record, change(statedOf(record))))) return;
    }
  }

  /** The session is begun nowhere again. */
  async end(id: string): Promise<void> {
    for (;;) {
      const record = await this.#open(id);
      if (record === null) return;
      const ended = { ...record, version: record.version + 1, status: "ended", body: {} };
      if (await this.#store!.save(ended)) return;
    }
  }

  async #open(id: string): Promise<WorkRecord | null> {
    const record = (await this.#store?.get(kind, id)) ?? null;
    const isOpen = record?.status === "open" && systemClock.now() < record.at + keptMs;
    return isOpen ? record : null;
  }
}

function statedOf({ body }: WorkRecord): Stated {
  return statedSchema.parse(body);
}

/** Returns false when another server has changed the session meanwhile. What is too large or too deep stays as it is. */
async function save(store: WorkStore, record: WorkRecord, stated: Stated): Promise<boolean> {
  if (meter(stated, maxKept) !== null) return true;
  const text = JSON.stringify(stated);
  if (text.length > maxKept) return true;
  return store.save({ ...record, version: record.version + 1, body: JSON.parse(text) as JsonObject });
}
