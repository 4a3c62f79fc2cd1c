import { createHash } from "node:crypto";
import { systemClock, type Clock } from "@toolmount/core";
import { HttpError } from "../fault/http-error.ts";
import { RateLimit } from "../guard/rate-limit.ts";

/** How many refresh tokens are remembered. One more removes the oldest. */
const maxRenewals = 10_000;

/**
 * Requests for which this server must ask its provider. Failed ones are limited for each client, so that programs without a token
 * cannot make the server ask without end. A refresh token that was issued here is not limited, because many users may share one
 * address, and one of them must not block the others.
 */
export class ProviderAsks {
  readonly #failures: RateLimit;
  readonly #renewals = new Set<string>();

  constructor(clock: Clock = systemClock) {
    this.#failures = new RateLimit("300/min", clock);
  }

  /**
   * Calls `ask`. `renewal` is the refresh token in the request of `client`, or empty. Rejects with `RATE_LIMITED`, or as `ask`
   * does.
   */
  async ask<Answer>(client: string, renewal: string, ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#renewals.has(digestOf(renewal))) return ask();
    const seconds = this.#failures.take(client);
    if (seconds > 0) throw new HttpError("RATE_LIMITED", { seconds });
    const answer = await ask();
    this.#failures.giveBack(client);
    return answer;
  }

  /** Remembers a refresh token that the provider issued to a user of this server. */
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
