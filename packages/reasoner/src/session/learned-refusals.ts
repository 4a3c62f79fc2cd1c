import type { SessionStore } from "@toolmount/core";
import { z } from "zod";
import type { RefusedParts } from "../provider/refused-parts.ts";

/** The id under which servers' refusals are stored as session state. A user's session cannot have it: its id has a colon. */
const serversId = "servers of models";

/** Milliseconds for which a refusal counts. After that the parts are sent again, because the server may accept them by then. */
const keptMs = 7 * 24 * 3_600_000;

const stored = z.array(z.object({ what: z.enum(["images", "schema", "call_id"]), at: z.number() }));

type Learned = z.output<typeof stored>;

interface Place {
  readonly provider: string;
  readonly model: string;
}

/** Remembers for all sessions that a server refused all images, or a form of schemas or ids. A single image does not count. */
export class LearnedRefusals {
  readonly #store: () => SessionStore;
  readonly #now: () => number;
  readonly #known = new Map<string, Promise<Learned>>();

  constructor(store: () => SessionStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Returns the known refusals of a model's server. What other processes stored is read only once for each model. */
  async of({ provider, model }: Place): Promise<readonly RefusedParts[]> {
    const learned = await this.#read(keyOf({ provider, model }));
    const valid = learned.filter(({ at }) => this.#now() - at < keptMs);
    return valid.map(({ what }) =>
      what === "images" ? { provider, model, digests: null } : { provider, model, digests: [], rule: what },
    );
  }

  /** Remembers a refusal for every session. A refusal of single images or files is ignored, because it applies to one session. */
  async add(refused: RefusedParts): Promise<void> {
    const what = refused.rule ?? (refused.digests === null ? "images" : null);
    if (what === null) return;
    const key = keyOf(refused);
    // Another process may have learned something since this one read.
    const others = (await this.#load(key)).filter((one) => one.what !== what);
    const learned: Learned = [...others, { what, at: this.#now() }];
    this.#known.set(key, Promise.resolve(learned));
    await this.#store().writeState(serversId, new Map([[key, learned]]));
  }

  #read(key: string): Promise<Learned> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(key);
    this.#known.set(key, loading);
    loading.catch(() => this.#known.delete(key)); // the next turn reads again
    return loading;
  }

  async #load(key: string): Promise<Learned> {
    const parsed = stored.safeParse((await this.#store().readState(serversId)).get(key));
    return parsed.data ?? [];
  }
}

function keyOf({ provider, model }: Place): string {
  return JSON.stringify([provider, model]);
}
