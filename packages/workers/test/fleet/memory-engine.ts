import type { FleetDelivery, FleetEngine } from "@toolmount/core";

/** A worker that takes calls of one queue and group. */
interface Taker {
  free: number;
  readonly take: Parameters<FleetEngine["receive"]>[3];
}

/** An engine of one process: as little as the port of engines asks for. */
export function memoryEngine(): FleetEngine {
  const waiting = new Map<string, FleetDelivery[]>();
  const takers = new Map<string, Set<Taker>>();
  const running = new Set<Promise<void>>();
  const run = async (name: string, taker: Taker, { runId, nested }: FleetDelivery) => {
    if (!nested) taker.free -= 1;
    await Promise.all(await taker.take([runId]));
    if (!nested) taker.free += 1;
    pump(name);
  };
  const pump = (name: string) => {
    const calls = waiting.get(name) ?? [];
    const free = [...(takers.get(name) ?? [])].find((one) => one.free > 0 || calls[0]?.nested === true);
    const next = free === undefined ? undefined : calls.shift();
    if (next === undefined) return;
    const one = run(name, free!, next).finally(() => running.delete(one));
    running.add(one);
    pump(name);
  };
  return {
    async send(group, delivery) {
      const name = `${delivery.queue} ${group}`;
      waiting.set(name, [...(waiting.get(name) ?? []), delivery]);
      pump(name);
    },
    async receive(queue, group, concurrency, take) {
      const name = `${queue} ${group}`;
      const taker: Taker = { free: concurrency, take };
      takers.set(name, (takers.get(name) ?? new Set()).add(taker));
      pump(name);
      return {
        async close() {
          takers.get(name)?.delete(taker);
          await Promise.all(running);
        },
      };
    },
    remove: async (queue, group) => void waiting.delete(`${queue} ${group}`),
    close: async () => {},
  };
}
