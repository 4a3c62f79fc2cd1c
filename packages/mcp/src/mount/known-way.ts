import { join } from "node:path";
import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { systemClock, type Logger } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { z } from "zod";
import { createRecordFile } from "../auth/record-file.ts";
import type { ServerSettings } from "./config.ts";
import { isAway } from "./failures.ts";

/** How to connect to a server: the revision that it is known to speak, and SSE if it does not speak Streamable HTTP. */
export interface Way {
  readonly prior: PriorDiscovery | undefined;
  readonly found?: "sse" | undefined;
}

/** Milliseconds after which a server is asked again which revision it speaks, because it may have been upgraded. */
const quickMs = 60 * 60 * 1_000;

/** The same for a server whose way took a timeout or a second attempt to find. */
const slowMs = 7 * 24 * quickMs;

/** What is stored of a way that was slow to find. All such servers are from before 2026. */
const stored = z.strictObject({ transport: z.literal("sse").nullable(), at: z.number() });

type StoredWay = z.output<typeof stored>;

/** Reads and writes the way to one server. */
interface WayStore {
  read(): Promise<StoredWay | null>;
  write(way: StoredWay | null): Promise<void>;
}

/**
 * Returns a store in the file `.toolmount/servers.db` of the plan's folder. A file that cannot be read or written is logged and
 * costs time only.
 */
export function createWayStore(
  folder: string,
  { url, command, args, cwd }: Pick<ServerSettings, "url" | "command" | "args" | "cwd">,
  logger: Logger,
): WayStore {
  const file = createRecordFile(join(folder, ".toolmount/servers.db"));
  const key = digestOf({ url: url ?? null, command: command ?? null, args, cwd: cwd ?? null });
  const noted = (err: unknown) => {
    logger.warn({ err }, "how to connect to an MCP server is not remembered");
    return null;
  };
  return {
    read: async () => stored.safeParse((await file.get(key).catch(noted))?.body).data ?? null,
    async write(way) {
      const before = await file.get(key).catch(noted);
      if (way === null && before === null) return;
      // If another process was faster, it has found the same way.
      await file.replace(key, before?.version ?? 0, way).catch(noted);
    },
  };
}

/** The way to a server, as earlier connections found it; a way that was slow to find also as earlier processes did. */
export class KnownWay {
  readonly #store: WayStore | undefined;
  #way: Way = { prior: undefined };
  #at = 0;
  #isSlow = false;

  constructor(store?: WayStore) {
    this.#store = store;
  }

  /** Returns the known way. Its `prior` is undefined if the server has to be asked which revision it speaks. */
  async recall(): Promise<Way> {
    if (this.#isFresh) return this.#way;
    const kept = await this.#store?.read();
    if (kept === null || kept === undefined) return { prior: undefined };
    [this.#way, this.#at, this.#isSlow] = [wayOf(kept), kept.at, true];
    return this.#isFresh ? this.#way : { prior: undefined };
  }

  get #isFresh(): boolean {
    return this.at !== undefined && systemClock.now() - this.#at < (this.#isSlow ? slowMs : quickMs);
  }

  /** When the way was found, in milliseconds since the epoch; undefined while it is not known. */
  get at(): number | undefined {
    return this.#way.prior === undefined ? undefined : this.#at;
  }

  /** A sentence about a way that was slow to find; undefined for other ways. */
  get says(): string | undefined {
    if (this.at === undefined || !this.#isSlow) return undefined;
    const what = this.#way.found === "sse" ? "it speaks SSE" : "it does not answer server/discover";
    return `${what}; this is tried again after ${new Date(this.#at + slowMs).toISOString().slice(0, 10)}`;
  }

  /** Remembers the way of a connected client. With `isSlow`, it took a timeout or a second attempt to find. */
  async note(
    client: Client,
    { found, isSlow = false }: { found?: "sse" | undefined; isSlow?: boolean } = {},
  ) {
    const discover = client.getDiscoverResult();
    const at = systemClock.now();
    this.#way = { prior: discover === undefined ? { kind: "legacy" } : { kind: "modern", discover }, found };
    [this.#at, this.#isSlow] = [at, isSlow && discover === undefined];
    if (this.#isSlow) await this.#store?.write({ at, transport: found ?? null });
  }

  /** Forgets the way after a connection failed; in the store only if the server was not just away or too slow. */
  async forget(error: unknown, isLate = false): Promise<void> {
    const wasSlow = this.#isSlow;
    [this.#way, this.#isSlow] = [{ prior: undefined }, false];
    if (wasSlow && !isLate && !isAway(error)) await this.#store?.write(null);
  }
}

function wayOf({ transport }: StoredWay): Way {
  return { prior: { kind: "legacy" }, found: transport ?? undefined };
}
