import { createHash } from "node:crypto";
import { systemClock, type Clock } from "@toolmount/core";
import { HttpError } from "../fault/http-error.ts";
import { RateLimit } from "../guard/rate-limit.ts";

/** Renewals that are remembered. The oldest is forgotten to make room. */
const maxRenewals = 10_000;

/**
 * Requests that make this server ask its provider. Failed ones are counted by client, so that programs without a token cannot
 * make it ask without end. A user who signed in here can always renew, because many users may share one address, and one of them
 * must not block the others.
 */
export class ProviderAsks {
  readonly #failures: RateLimit;
  readonly #renewals = new Set<string>();

  constructor(clock: Clock = systemClock) {
    this.#failures = new RateLimit("300/min", clock);
  }

  /** Asks for a client; `renewal` is the one that its browser sent. Rejects with `RATE_LIMITED`, or as `ask` does. */
  async ask<Answer>(client: string, renewal: string, ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#renewals.has(digestOf(renewal))) return ask();
    const seconds = this.#failures.take(client);
    if (seconds > 0) throw new HttpError("RATE_LIMITED", { seconds });
    const answer = await ask();
    this.#failures.giveBack(client);
    return answer;
  }

  /** Remembers a renewal that the provider issued to a user. */
  note(renewal: string | undefined): void {
    if (renewal === undefined) return;
    this.#renewals.add(digestOf(renewal));
    const [oldest] = this.#renewals;
    if (this.#renewals.size > maxRenewals) this.#renewals.delete(oldest!);
  }
}

function digestOf(renewal: string): string {
  return createHash("sha256").update(renewal).digest("base64");
}
