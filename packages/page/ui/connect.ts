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
/** Milliseconds without an event after which a connection counts as dead. The server sends an event every 15 s. */
const silentMs = 40_000;

/** Milliseconds after which a hidden tab closes its connection. */
const hiddenMs = 5_000;

/**
 * Keeps the page connected while there is a token and the tab is visible, and connects again after a loss. A hidden tab stays
 * connected only if the person wants notifications. Returns a function that stops this.
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
    // A server ends a stream when its token expires. The page connects again at once, so nothing on it changes.
    if (wasOpen && hasEnded) continue;
    connection.value = "lost";
    forgetApprovals();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}

/**
 * Runs `work` until it ends, or until it has received no event for too long, because a dead connection reports no error. Resolves
 * to whether `work` ended by itself.
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

/** Loads the state of the host, and then follows its events. */
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
