import { setTimeout as delay } from "node:timers/promises";
import { isToolmountError } from "@toolmount/core";
import { isUnreachable } from "@toolmount/core/internal";
import { messageOf } from "@toolmount/core/errors";

const firstDelayMs = 250;
const longestDelayMs = 5_000;

/**
 * Runs `work` again as long as databases on other machines cannot be reached. The delay grows to five seconds. `onWait` gets each
 * new reason once. Resolves to undefined if the signal ends the wait.
 */
export async function waitForStores<Value>(
  work: () => Promise<Value>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (reason: string) => void },
): Promise<Value | undefined> {
  let reported: string | undefined;
  for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    try {
      return await work();
    } catch (error) {
      const reason = reasonToWait(error);
      if (reason === undefined) throw error;
      if (reason !== reported) onWait((reported = reason));
      await delay(delayMs, undefined, { signal }).catch(() => {}); // after an abort the loop ends
    }
  }
  return undefined;
}

/** Returns the reason if work failed because a database cannot be reached; undefined for errors that waiting does not solve. */
function reasonToWait(error: unknown): string | undefined {
  if (!isToolmountError(error)) return isUnreachable(error) ? messageOf(error) : undefined;
  const { problems, away } = error.details as {
    readonly problems?: readonly Away[];
    readonly away?: boolean;
  };
  if (problems === undefined) return away === true ? error.message : undefined;
  return problems.every(({ details }) => details?.away === true) ? problems[0]?.message : undefined;
}

interface Away {
  readonly message: string;
  readonly details?: { readonly away?: boolean };
}
