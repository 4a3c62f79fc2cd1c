import type { PriorDiscovery, VersionNegotiationOptions } from "@modelcontextprotocol/client";
import { systemClock } from "@toolmount/core";
import type { ServerSettings } from "./config.ts";

/** After this time a server is asked again which revision it speaks: it may have been upgraded. */
const verdictMs = 60 * 60 * 1_000;

/** How long a program may leave the question unanswered before it counts as one from before 2026, in milliseconds. */
const probeMs = 10_000;

/** Which revision a server speaks, as it was found out last, with the time of it. */
export class EraVerdict {
  #prior: PriorDiscovery | undefined;
  #at = 0;

  /** What is known and still fresh. */
  get prior(): PriorDiscovery | undefined {
    return systemClock.now() - this.#at < verdictMs ? this.#prior : undefined;
  }

  /** When it was found out, in milliseconds since the epoch; undefined while nothing is known. */
  get at(): number | undefined {
    return this.#prior === undefined ? undefined : this.#at;
  }

  /** Takes note of what a connection has found out. */
  note(prior: PriorDiscovery): void {
    this.#prior = prior;
    this.#at = systemClock.now();
  }

  forget(): void {
    this.#prior = undefined;
  }
}

/** How the SDK's client finds, or is given, the revision to speak. */
export function negotiationOf({ era, command, startTimeoutMs }: ServerSettings): VersionNegotiationOptions {
  switch (era) {
    case "legacy":
      return { mode: "legacy" };
    case "modern":
      return { mode: { pin: "2026-07-28" } };
    case "auto":
    default: {
      const timeoutMs = command === undefined ? startTimeoutMs : Math.min(probeMs, startTimeoutMs / 3);
      return { mode: "auto", probe: { timeoutMs } };
    }
  }
}
