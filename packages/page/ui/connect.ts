import { ApiError, ask, token } from "./api.ts";
import { readLayers, readLayersSoon } from "./layer/layers.ts";
import { sharedEvents } from "./shared-stream.ts";
import type { CallSummary, Me } from "./shapes.ts";
import {
  addCall,
  cards,
  connection,
  forgetApprovals,
  hostName,
  hostPath,
  me,
  notify,
  readAll,
  readApprovals,
  readCalls,
  textOf,
} from "./state.ts";

const firstPauseMs = 200;
/** The longest pause before the page connects again, in milliseconds. */
const maxPauseMs = 5_000;
/** The server sends an event every 15 s. After this time without one the connection is dead, in milliseconds. */
const silentMs = 40_000;

/** A tab that is hidden for so long gives its connection up, in milliseconds. */
const hiddenMs = 5_000;

/**
 * Connects while there is a token and a person can see the tab, and again when the connection is lost. Returns what ends
 * that. A hidden tab stays connected only where the person asked for notifications.
 */
export function follow(): () => void {
  let controller: AbortController | null = null;
  let timer = 0;
  const begin = () => {
    if (controller !== null) return;
    controller = new AbortController();
    void keepConnected(controller.signal);
  };
  const end = () => {
    controller?.abort();
    controller = null;
  };
  const look = () => {
    clearTimeout(timer);
    if (!isHidden()) begin();
    else timer = setTimeout(() => isHidden() && end(), hiddenMs);
  };
  look();
  cards.value = [];
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    end();
  };
}

function isHidden(): boolean {
  const isAsked = "Notification" in window && Notification.permission === "granted";
  return document.visibilityState === "hidden" && !isAsked;
}

async function keepConnected(ended: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  connection.value = "connecting";
  while (!ended.aborted && token.value !== null) {
    let wasOpen = false;
    let hasEnded = false;
    try {
      hasEnded = await untilSilent(ended, (signal, heard) =>
        listen(signal, () => {
          heard();
          wasOpen = true;
          pauseMs = firstPauseMs;
        }),
      );
    } catch (error) {
      if (!ended.aborted && error instanceof ApiError) notify(textOf(error));
    }
    if (ended.aborted) return;
    // A server ends a stream with its token, and the next one is open at once: nothing on the page changes.
    if (wasOpen && hasEnded) continue;
    connection.value = "lost";
    forgetApprovals();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}

/**
 * Does the work of one connection until it ends, or until nothing was heard for too long: a dead connection says nothing.
 * Resolves to whether it ended by itself.
 */
async function untilSilent(
  ended: AbortSignal,
  work: (signal: AbortSignal, heard: () => void) => Promise<void>,
): Promise<boolean> {
  const over = new AbortController();
  const silent = new Promise<false>((resolve) => over.signal.addEventListener("abort", () => resolve(false)));
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => over.abort(), silentMs);
  };
  heard();
  try {
    const whole = work(AbortSignal.any([ended, over.signal]), heard).then(() => true);
    return await Promise.race([whole, silent]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Reads what the host has, and then each event. */
async function listen(signal: AbortSignal, heard: () => void): Promise<void> {
  me.value = await ask<Me>("GET", "/hosts");
  const known = me.value.hosts.map(({ name }) => name);
  if (!known.includes(hostName.value) && known[0] !== undefined) hostName.value = known[0];
  const { name, user, roles } = me.value;
  const who = JSON.stringify([name, user, roles]);
  for await (const { event, data } of sharedEvents(`${hostPath.value}/events`, who, signal)) {
    heard();
    if (event === "hello") {
      await readAll();
      await readLayers();
      if (!signal.aborted) connection.value = "open";
    } else if (event === "call") {
      addCall(data as CallSummary);
      readLayersSoon();
    } else if (event === "dropped") await readCalls();
    else if (event === "approvals") await readApprovals();
  }
}
