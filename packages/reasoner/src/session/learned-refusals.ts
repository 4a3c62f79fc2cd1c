import type { SessionStore } from "@toolmount/core";
import { z } from "zod";
import type { RefusedParts } from "../provider/refused-parts.ts";

/** What servers refuse is kept as the state of this session, which no call belongs to; a user's session has a colon in its id. */
const serversId = "servers of models";

/** How long a server is not asked again for what it refused, in milliseconds: a model may take images later. */
const keptMs = 7 * 24 * 3_600_000;

const stored = z.array(z.object({ what: z.enum(["images", "schema", "call_id"]), at: z.number() }));

type Learned = z.output<typeof stored>;

interface Place {
  readonly provider: string;
  readonly model: string;
}

/** What the servers of models refuse in every session: all images, a form of schemas or of ids. One refused image says nothing of others. */
export class LearnedRefusals {
  readonly #store: () => SessionStore;
  readonly #now: () => number;
  readonly #known = new Map<string, Promise<Learned>>();

  constructor(store: () => SessionStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** What is known of the server of a model, also by other processes with the same store. */
  async of({ provider, model }: Place): Promise<readonly RefusedParts[]> {
    const learned = await this.#read(keyOf({ provider, model }));
    const valid = learned.filter(({ at }) => this.#now() - at < keptMs);
    return valid.map(({ what }) =>
      what === "images" ? { provider, model, digests: null } : { provider, model, digests: [], rule: what },
    );
  }

  /** Keeps a refusal that holds for each session. */
  async add(refused: RefusedParts): Promise<void> {
    const what = refused.rule ?? (refused.digests === null ? "images" : null);
    if (what === null) return;
    const key = keyOf(refused);
    const others = (await this.#read(key)).filter((one) => one.what !== what);
    const learned: Learned = [...others, { what, at: this.#now() }];
    this.#known.set(key, Promise.resolve(learned));
    await this.#store().writeState(serversId, new Map([[key, learned]]));
  }

  #read(key: string): Promise<Learned> {
    const known = this.#known.get(key) ?? this.#load(key);
    this.#known.set(key, known);
    return known;
  }

  async #load(key: string): Promise<Learned> {
    const parsed = stored.safeParse((await this.#store().readState(serversId)).get(key));
    return parsed.data ?? [];
  }
}

function keyOf({ provider, model }: Place): string {
  return JSON.stringify([provider, model]);
}
