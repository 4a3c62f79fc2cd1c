import type { KeptResult, PendingCall } from "@toolmount/core";
import { copyLength } from "./content.ts";
import { leavesOf } from "./leaves.ts";
import type { SeenResult } from "./seen.ts";

/** Characters of results that are read while the host does nothing else. */
const readAtOnce = 262_144;

/** A result, and the length of the runs that are looked up in it; 0 where no content is compared. */
interface Reading {
  readonly result: KeptResult;
  readonly length: number;
}

/**
 * Makes what reads the results with which a call is compared, each once, with pauses in which the host does other work: all
 * results of a session take some hundred milliseconds. It returns null where all are read.
 */
export function createReader(seen: (result: KeptResult) => SeenResult) {
  const known = new WeakMap<KeptResult, Set<number>>();
  const readFrom = (todo: readonly Reading[], from: number): Promise<void> | null => {
    let left = readAtOnce;
    for (let at = from; at < todo.length; at++) {
      const { result, length } = todo[at]!;
      if (left < 0) return pause().then(() => readFrom(todo, at) ?? undefined);
      const one = seen(result);
      if (length > 0) one.copies(length);
      known.set(result, (known.get(result) ?? new Set()).add(length));
      left -= one.size;
    }
    return null;
  };
  return (call: PendingCall, names: ReadonlySet<string>): Promise<void> | null => {
    const lengths = lengthsOf(call, names);
    const todo = (call.history?.results ?? []).flatMap((result) =>
      lengths.flatMap((length) => (known.get(result)?.has(length) === true ? [] : [{ result, length }])),
    );
    return readFrom(todo, 0);
  };
}

/** The lengths of the runs that are looked up for the content of a call. */
function lengthsOf({ arguments: given }: PendingCall, names: ReadonlySet<string>): readonly number[] {
  const values = [...names].flatMap((name) => leavesOf(given[name])).map(({ value }) => value);
  return [...new Set([0, ...values.map((value) => (typeof value === "string" ? copyLength(value) : 0))])];
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
