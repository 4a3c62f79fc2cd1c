import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { LayerSession } from "../shapes.ts";
import { hostPath, maySeeQuestions, served } from "../state.ts";

/** The sessions whose changes of files wait for an answer. */
export const waitingSessions = signal<readonly LayerSession[]>([]);

/** Milliseconds after a change of calls in which they are read again: the server compares folders for it. */
const settleMs = 1_000;
let timer = 0;
let isReading = false;

/** Reads them, once for changes that come together. */
export function readLayersSoon(): void {
  if (isReading || served.value?.layers !== true) return;
  clearTimeout(timer);
  timer = setTimeout(() => void readLayers(), settleMs);
}

/** Reads them now. */
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
