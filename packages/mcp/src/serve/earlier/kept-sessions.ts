import { systemClock, type Host, type JsonObject, type WorkRecord } from "@toolmount/core";
import { meter } from "@toolmount/core/json";
import { z } from "zod";
import { KeptWork } from "../../wire/kept-work.ts";

/** Milliseconds for which a session is kept after its beginning: 30 days. Its client then has to connect again. */
const keptMs = 30 * 86_400_000;
/** Largest state of one session that is kept, in characters of its JSON. */
const maxKept = 65_536;

/** What a client has stated in its session. */
const statedSchema = z.object({
  /** The parameters of `initialize`. */
  introduction: z.record(z.string(), z.json()),
  level: z.string().optional(),
  watched: z.array(z.string()).default([]),
});

export type Stated = z.output<typeof statedSchema>;

/**
 * The sessions of clients from before 2026 in the host's store: such a client states its facts only once, and every server of
 * the store needs them. Without a store, or with more than 64 KiB, a session is not kept, and only its own server knows it.
 */
export class KeptSessions {
  readonly #kept: KeptWork;

  constructor(host: Host) {
    this.#kept = new KeptWork(host, "mcp-session", { keptMs, statuses: ["open", "ended"] });
  }

  async add(id: string, owner: string, introduction: Stated["introduction"]): Promise<void> {
    const change = this.#kept.isShared ? keeping({ introduction, watched: [] }) : undefined;
    if (change === undefined) return;
    await this.#kept.save(this.#kept.draft({ id, scope: owner, status: "open" }), change);
  }

  /** Returns what the client of a session has stated; null for a session that has ended, is not kept, or has another owner. */
  async find(id: string, owner: string): Promise<Stated | null> {
    const record = await this.#kept.get(id);
    return isOpen(record) && record.scope === owner ? statedOf(record) : null;
  }

  /** Stores what the client says about its session. If two servers change it at the same time, the later one tries again. */
  change(id: string, change: (stated: Stated) => Stated): Promise<void> {
    return this.#kept.change(id, (record) =>
      isOpen(record) ? keeping(change(statedOf(record))) : undefined,
    );
  }

  /** Marks a session as ended, so that no server begins it again. */
  end(id: string): Promise<void> {
    return this.#kept.change(id, (record) => (isOpen(record) ? { status: "ended", body: {} } : undefined));
  }
}

function isOpen(record: WorkRecord | null): record is WorkRecord {
  return record?.status === "open" && systemClock.now() < record.at + keptMs;
}

function statedOf({ body }: WorkRecord): Stated {
  return statedSchema.parse(body);
}

/** Returns the state to store; undefined if it is too large or too deep. */
function keeping(stated: Stated): { readonly body: JsonObject } | undefined {
  if (meter(stated, maxKept) !== null) return undefined;
  const text = JSON.stringify(stated);
  return text.length > maxKept ? undefined : { body: JSON.parse(text) as JsonObject };
}
