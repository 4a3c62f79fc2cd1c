import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Logger } from "@toolmount/core";
import { createTokenCheck, type Authenticate, type TokenRecord } from "@toolmount/http";

/** Milliseconds for which tokens are used before they are read again. A request waits at most this long for the new reading. */
const freshMs = 1_000;

interface LiveTokensOptions {
  readonly records: readonly TokenRecord[];
  /** Reads the tokens from their place again; null if there are none. */
  readonly read: () => Promise<readonly TokenRecord[] | null>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Recognises stored tokens. Tokens that were read more than a second ago are read again before a request, so that a removed token
 * soon stops working. If reading fails, the earlier tokens stay valid.
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
