import type { Host } from "../contract/host.ts";
import type { CounterChange, CounterState, WorkFilter, WorkRecord, WorkStore } from "../contract/work.ts";
import { frozenCopy } from "../json/freeze.ts";

/** Returns the mounted store for the work of servers, or a new one in memory, which only the caller knows. */
export function workStoreOf({ coordinator }: Host): WorkStore {
  return (coordinator.get("work-store") as WorkStore | null) ?? createMemoryWork();
}

/** Maximum number of counters in memory. If there are more, the counter that was changed least recently is dropped. */
const maxCounters = 10_000;

/** Makes a store in the memory of this process for the work of servers. */
export function createMemoryWork(): WorkStore {
  const records = new Map<string, WorkRecord>();
  const counters = new Map<string, Counter>();
  const add = (key: string, change: CounterChange): CounterState => {
    const before = counters.get(key) ?? { count: 0, amount: 0, running: new Map() };
    const after = counted(before, change);
    const { running: _, ...state } = after ?? before;
    counters.delete(key);
    counters.set(key, after ?? before);
    if (counters.size > maxCounters) counters.delete(counters.keys().next().value!);
    return { isAdded: after !== null, ...state };
  };
  const keyOf = (kind: string, id: string) => `${kind}\n${id}`;
  return {
    get: async (kind, id) => records.get(keyOf(kind, id)) ?? null,
    async save(record) {
      const key = keyOf(record.kind, record.id);
      if ((records.get(key)?.version ?? 0) !== record.version - 1) return false;
      records.set(key, frozenCopy(record));
      return true;
    },
    list: async (filter) =>
      [...records.values()]
        .filter((record) => isListed(record, filter))
        .toSorted(newestFirst)
        .slice(0, filter.limit ?? 100),
    async remove(kind, statuses, before) {
      const gone = [...records].filter(
        ([, record]) => record.kind === kind && statuses.includes(record.status) && record.at < before,
      );
      for (const [key] of gone) records.delete(key);
      return gone.length;
    },
    async count(key, { also, ...change }) {
      const other = also && add(also.key, { count: also.count, amount: 0, at: change.at }).count;
      return { ...add(key, change), ...(other !== undefined && { also: other }) };
    },
  };
}

/** A counter in memory. */
interface Counter extends Omit<CounterState, "isAdded" | "also"> {
  /** The ids of running work, each with the time until which it counts as running. */
  readonly running: ReadonlyMap<string, number>;
}

/** Returns a counter after a change; null if the change would exceed a limit. */
function counted(before: Counter, change: CounterChange): Counter | null {
  const { maxCount = Infinity, maxAmount = Infinity, maxRunning = Infinity, at } = change;
  const merged = new Map([...before.running, ...Object.entries(change.running ?? {})]);
  const running = new Map([...merged].filter(([, until]) => until > at));
  const [count, amount] = [before.count + change.count, before.amount + change.amount];
  const isFree = count <= maxCount && amount < maxAmount && running.size <= maxRunning;
  return isFree ? { count, amount, running } : null;
}

function isListed(record: WorkRecord, filter: WorkFilter): boolean {
  const { kind, scope, statuses, sessionId, userId, dueBy, after } = filter;
  return (
    record.kind === kind &&
    (scope === undefined || record.scope === scope) &&
    (statuses === undefined || statuses.includes(record.status)) &&
    (sessionId === undefined || record.sessionId === sessionId) &&
    (userId === undefined || record.userId === userId) &&
    (dueBy === undefined || (record.dueAt !== null && record.dueAt <= dueBy)) &&
    (after === undefined || newestFirst(after, record) < 0)
  );
}

type Place = Pick<WorkRecord, "at" | "id">;

function newestFirst(one: Place, other: Place): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}
