import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { LayerSession } from "../shapes.ts";
import { hostPath, maySeeQuestions, served } from "../state.ts";

/** The sessions whose file changes wait for an answer. */
export const waitingSessions = signal<readonly LayerSession[]>([]);

/** Milliseconds between a change of calls and reading the sessions, because the server compares folders for each reading. */
const settleMs = 1_000;
let timer = 0;
let isReading = false;

/** Reads the sessions soon: once for several changes that come together. */
export function readLayersSoon(): void {
  if (isReading || served.value?.layers !== true) return;
  clearTimeout(timer);
  timer = setTimeout(() => void readLayers(), settleMs);
}

/** Reads the sessions now. */
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
