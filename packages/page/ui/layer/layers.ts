import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { LayerSession } from "../shapes.ts";
import { hostPath, maySeeQuestions, served } from "../state.ts";

/** The sessions with file changes that wait for an answer. */
export const waitingSessions = signal<readonly LayerSession[]>([]);

/** Milliseconds after a change of calls before the sessions are read, because for each reading the server compares folders. */
const settleMs = 1_000;
let timer = 0;
let isReading = false;

/** Reads the waiting sessions soon, and only once for several changes that come together; after a reading that runs now. */
export function readLayersSoon(): void {
  if (served.value?.layers !== true) return;
  clearTimeout(timer);
  // A reading that fails has lost the server, and the next connection reads the sessions anyway.
  timer = setTimeout(() => (isReading ? readLayersSoon() : void readLayers().catch(() => {})), settleMs);
}

/** Reads the waiting sessions now; empty if the host has no layers, or if the token may not see questions. */
export async function readLayers(): Promise<void> {
  if (served.value?.layers !== true || !maySeeQuestions.value) {
    waitingSessions.value = [];
    return;
  }
  isReading = true;
  try {
    const path = `${hostPath.value}/layers`;
    waitingSessions.value = (await ask<{ sessions: readonly LayerSession[] }>("GET", path)).sessions;
  } finally {
    isReading = false;
  }
}
