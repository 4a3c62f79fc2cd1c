import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Logger } from "@toolmount/core";
import { createTokenCheck, type Authenticate, type TokenRecord } from "@toolmount/http";

/** Milliseconds for which read tokens count, and for which a request waits for them to be read again. */
const freshMs = 1_000;

/** What {@link createLiveTokens} needs. */
interface LiveTokensOptions {
  readonly records: readonly TokenRecord[];
  /** Reads the tokens again. */
  readonly read: () => Promise<readonly TokenRecord[] | null>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Recognises stored tokens. Those that are older than a second are read again before the next request, so that a removed one
 * ends. Where they cannot be read, they stay as they were.
 */
export function createLiveTokens({ records, read, clock, logger }: LiveTokensOptions) {
  let check = createTokenCheck(records);
  let readAt = clock.now();
  let reading: Promise<void> | undefined;
  const reload = async () => {
    check = createTokenCheck((await read()) ?? []);
    readAt = clock.now();
  };
  const refresh = () =>
    (reading ??= reload()
      .catch((err: unknown) => {
        readAt = clock.now();
        logger.warn({ err }, "the tokens are as they were");
      })
      .finally(() => (reading = undefined)));
  const authenticate: Authenticate = (token) => {
    if (clock.now() - readAt < freshMs) return check(token);
    return Promise.race([refresh(), delay(freshMs, undefined, { ref: false })]).then(() => check(token));
  };
  return { authenticate, reload };
}
