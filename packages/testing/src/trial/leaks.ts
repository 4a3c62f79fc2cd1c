import { setTimeout } from "node:timers/promises";

/** What a process holds: resources, listeners and globals. */
export interface Footprint {
  readonly resources: ReadonlyMap<string, number>;
  readonly listeners: ReadonlyMap<string, number>;
  readonly globals: ReadonlySet<string>;
}

/** Types of resources that keep a process alive, and that a module must release. */
const counted = /^(Timeout|Immediate|TCP|Pipe|Process|FSEvent|StatWatcher|UDP|MessagePort|Worker|TTY|Signal)/;

/** Records what this process holds now. */
export async function takeFootprint(): Promise<Footprint> {
  // A resource that was just closed disappears after one or two turns of the event loop.
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
  const resources = process.getActiveResourcesInfo().filter((name) => counted.test(name));
  const events = process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const);
  return {
    resources: count(resources),
    listeners: new Map(events),
    globals: new Set(Object.getOwnPropertyNames(globalThis)),
  };
}

/** How often a footprint is taken, and the pause in milliseconds, before what remains counts as a leak. */
const looks = { most: 10, pauseMs: 50 };

/**
 * Returns what is held now but was not before. What ends by itself within half a second does not count, because other work of
 * the process has timers, too.
 */
export async function leaksSince(before: Footprint): Promise<readonly string[]> {
  for (let look = 1; ; look++) {
    const leaks = findLeaks(before, await takeFootprint());
    if (leaks.length === 0 || look === looks.most) return leaks;
    await setTimeout(looks.pauseMs);
  }
}

/** Returns what was added between two footprints, one phrase for each addition. */
export function findLeaks(before: Footprint, after: Footprint): readonly string[] {
  return [
    ...more(before.resources, after.resources).map((name) => `a resource of type ${name}`),
    ...more(before.listeners, after.listeners).map((name) => `a listener of process "${name}"`),
    ...[...after.globals].filter((name) => !before.globals.has(name)).map((name) => `a global named ${name}`),
  ];
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function more(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): readonly string[] {
  return [...after].filter(([name, amount]) => amount > (before.get(name) ?? 0)).map(([name]) => name);
}
