import { isToolmountError } from "@toolmount/core/errors";
import type { Model, ModelErrorKind } from "@toolmount/interop";
import type { Settings } from "../config/settings.ts";
import { readModelError } from "./model-error.ts";
import type { ModelOpener } from "./open-model.ts";

/** A model to ask, with its settings. */
export interface ChosenModel {
  readonly settings: Settings;
  readonly model: Model;
  /** Opens the next model in the order of preference, after this one failed; null if there is no other. */
  readonly next: () => Promise<ChosenModel | null>;
}

/** Milliseconds for which a failed model is asked last, because otherwise each turn would wait for its retries. */
const pauseMs = 300_000;

/** Opens models in the order of their settings. A model that failed recently comes last. */
export class RankedModels {
  readonly #opener: ModelOpener;
  readonly #now: () => number;
  readonly #failedAt = new Map<string, number>();

  constructor(opener: ModelOpener, now: () => number) {
    this.#opener = opener;
    this.#now = now;
  }

  /** Opens the first model that can be opened. Tries the next one only after an error for which `canAnotherAnswer` is true. */
  async choose(ranked: readonly Settings[]): Promise<ChosenModel> {
    const isPaused = (settings: Settings) =>
      this.#now() - (this.#failedAt.get(keyOf(settings)) ?? -Infinity) < pauseMs;
    const { ready = [], paused = [] } = Object.groupBy(ranked, (one) => (isPaused(one) ? "paused" : "ready"));
    return this.#open([...ready, ...paused]);
  }

  async #open([settings, ...others]: readonly Settings[]): Promise<ChosenModel> {
    const next = async () => {
      this.#failedAt.set(keyOf(settings!), this.#now());
      return others.length === 0 ? null : this.#open(others);
    };
    try {
      return { settings: settings!, model: await this.#opener.open(settings!), next };
    } catch (error) {
      const chosen = canAnotherAnswer(error) ? await next() : null;
      if (chosen === null) throw error;
      return chosen;
    }
  }
}

function keyOf({ model, provider, baseUrl, apiKey }: Settings): string {
  return JSON.stringify([model, provider, baseUrl, apiKey]);
}

/** Removes settings with the same model on the same server as earlier ones. Of equal ones, the first is kept. */
export function withoutSame(ranked: readonly Settings[]): readonly Settings[] {
  const keys = ranked.map(keyOf);
  return ranked.filter((_, at) => keys.indexOf(keys[at]!) === at);
}

const ofServer: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "quota_exceeded",
  "authentication",
  "access_denied",
  "not_found",
  "unavailable",
  "network",
  "timeout",
  "stream",
  "configuration",
]);

/** Tests whether a failure concerns the server or its model, so that another model may be able to answer. */
export function canAnotherAnswer(error: unknown): boolean {
  if (isToolmountError(error) && error.code === "EXTENSION_MISSING") return true;
  return ofServer.has(readModelError(error, { provider: "", model: "" }).failure.kind);
}
