import { systemClock, type Host, type JsonObject, type WorkRecord } from "@toolmount/core";
import { meter } from "@toolmount/core/json";
import { z } from "zod";
import { KeptWork } from "../../wire/kept-work.ts";

/** How long a session is kept from its beginning, in milliseconds: 30 days. A client then connects again. */
const keptMs = 30 * 86_400_000;
/** Most characters of the JSON that is kept of one session. */
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
 * The sessions of clients from before 2026 in the host's store: what such a client says once, every server must know. A
 * host without a store keeps none, and a session of more than 64 KiB is not kept either: its own server alone knows it.
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

  /** What the client of a session has stated; null for one that has ended, is not kept, or is of another owner. */
  async find(id: string, owner: string): Promise<Stated | null> {
    const record = await this.#kept.get(id);
    return isOpen(record) && record.scope === owner ? statedOf(record) : null;
  }

  /** Keeps what the client says about its session. Of two servers that change it together, the later one tries again. */
  change(id: string, change: (stated: Stated) => Stated): Promise<void> {
    return this.#kept.change(id, (record) =>
      isOpen(record) ? keeping(change(statedOf(record))) : undefined,
    );
  }

  /** The session is begun nowhere again. */
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

/** What is too large or too deep is not kept. */
function keeping(stated: Stated): { readonly body: JsonObject } | undefined {
  if (meter(stated, maxKept) !== null) return undefined;
  const text = JSON.stringify(stated);
  return text.length > maxKept ? undefined : { body: JSON.parse(text) as JsonObject };
}
