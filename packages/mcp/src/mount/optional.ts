import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "@modelcontextprotocol/client";

/** Longest time that a client waits for the tools of a server that starts, in milliseconds. */
const patienceMs = 3_000;

/** How a server is mounted: with the lock file's tools or null, and whether the loader reports that it cannot be reached. */
export interface Start {
  readonly locked: readonly Tool[] | null;
  readonly isReported: boolean;
}

/** The state of a server that the plan does not need, and whose tools are not known before it has answered. */
export class OptionalStart {
  /**
   * Set while the tools are not known yet, with the error of a failed attempt; undefined if they are known or the plan needs
   * them.
   */
  waits: { readonly error?: unknown } | undefined;
  /** Resolves when the first attempt has ended or taken `patienceMs`; undefined if there is no need to wait for it. */
  starting: Promise<unknown> | undefined;

  /** Waits for the first attempt. Returns undefined if it failed. */
  async first<Value>(attempt: Promise<Value>): Promise<Value | undefined> {
    this.waits = {};
    this.starting = Promise.race([attempt.catch(() => {}), delay(patienceMs, undefined, { ref: false })]);
    void this.starting.finally(() => (this.starting = undefined));
    try {
      return await attempt;
    } catch (error) {
      if (this.waits !== undefined) this.waits = { error };
      return undefined;
    }
  }
}
