import type { ToolReturn } from "@toolmount/core";
import type { RunMessage } from "../far/far-message.ts";
import type { NearRun } from "./near-run.ts";
import { rebuildThrown } from "./rebuild-thrown.ts";

/** The host's side of one question to a process, about a hook or a method of a capability. */
export class NearQuestion implements NearRun {
  isAborting = false;
  readonly end: Promise<ToolReturn>;
  readonly #ending = Promise.withResolvers<ToolReturn>();

  constructor() {
    this.end = this.#ending.promise;
  }

  receive(message: RunMessage): undefined {
    if (message.type === "returned") this.#ending.resolve(message.value as ToolReturn);
    else if (message.type === "threw") this.#ending.reject(rebuildThrown(message.thrown));
    else if (message.type === "aborting") this.isAborting = true;
    return undefined;
  }

  processEnded(how: string): void {
    this.#ending.reject(new Error(`its process ${how}`));
  }
}
