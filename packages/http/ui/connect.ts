import { ApiError, ask, readEvents, token } from "./api.ts";
import type { CallSummary, Me } from "./shapes.ts";
import {
  addCall,
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

/** Connects while there is a token, and again when the connection is lost. Returns what ends that. */
export function follow(): () => void {
  const controller = new AbortController();
  void keepConnected(controller.signal);
  return () => controller.abort();
}

async function keepConnected(ended: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!ended.aborted && token.value !== null) {
    connection.value = "connecting";
    try {
      await untilSilent(ended, (signal, heard) =>
        listen(signal, () => {
          heard();
          pauseMs = firstPauseMs;
        }),
      );
    } catch (error) {
      if (!ended.aborted && error instanceof ApiError) notify(textOf(error));
    }
    if (ended.aborted) return;
    connection.value = "lost";
    forgetApprovals();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}

/** Does the work of one connection until it ends, or until nothing was heard for too long: a dead connection says nothing. */
async function untilSilent(
  ended: AbortSignal,
  work: (signal: AbortSignal, heard: () => void) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const silent = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => over.abort(), silentMs);
  };
  heard();
  try {
    await Promise.race([work(AbortSignal.any([ended, over.signal]), heard), silent]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Reads what the host has, and then each event. */
async function listen(signal: AbortSignal, heard: () => void): Promise<void> {
  me.value = await ask<Me>("GET", "/api/v1/hosts");
  const known = me.value.hosts.map(({ name }) => name);
  if (!known.includes(hostName.value) && known[0] !== undefined) hostName.value = known[0];
  for await (const { event, data } of readEvents("GET", `${hostPath.value}/events`, signal)) {
    heard();
    if (event === "hello") {
      await readAll();
      if (!signal.aborted) connection.value = "open";
    } else if (event === "call") addCall(data as CallSummary);
    else if (event === "dropped") await readCalls();
    else if (event === "approvals") await readApprovals();
  }
}
