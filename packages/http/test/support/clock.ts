import { systemClock, type Clock } from "@toolmount/core";

/** A clock whose timers of one length a test fires by hand, such as the looks of a server; every other timer is real. */
export function clockOfLooks(lookMs: number): Clock & { look(): void } {
  const waiting = new Set<() => void>();
  return {
    ...systemClock,
    setTimer(callback, ms) {
      if (ms !== lookMs) return systemClock.setTimer(callback, ms);
      waiting.add(callback);
      return { cancel: () => void waiting.delete(callback), keepAlive: () => {} };
    },
    look() {
      const due = [...waiting];
      waiting.clear();
      for (const callback of due) callback();
    },
  };
}
