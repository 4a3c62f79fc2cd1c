import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "@modelcontextprotocol/client";

/** Longest time that a client waits for the tools of a server that starts, in milliseconds. */
const patienceMs = 3_000;

/** How a server begins: with the tools that the lock file has, or null; and whether the loader reports that it is away. */
export interface Start {
  readonly locked: readonly Tool[] | null;
  readonly isReported: boolean;
}

/** How far the host has come with a server that the plan does not need: its tools are not known before it has answered. */
export class OptionalStart {
  /** Undefined where the tools are known, or must be; else why they are not known yet, once an attempt has failed. */
  waits: { readonly error?: unknown } | undefined;
  /** Resolves when the first attempt has ended, or has taken long; undefined where it need not be waited for. */
  starting: Promise<unknown> | undefined;

  /** Waits for the first attempt. Returns undefined when it failed. */
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
