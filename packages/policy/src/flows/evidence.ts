import type { CallHistory, KeptResult, ValueOrigin } from "@toolmount/core";
import type { Meter } from "./meter.ts";
import type { FlowsConfig, ResultLine } from "./schema.ts";
import { SeenResult } from "./seen.ts";
import { compactCode, formsOf } from "./text.ts";
import type { UserWords } from "./words.ts";

/** Where one value came from. */
export type Found = Pick<ValueOrigin, "origin" | "from"> & { readonly isAccepted: boolean };

/** What the values of a call are compared with. */
export interface Evidence {
  readonly words: UserWords;
  readonly history: CallHistory;
  readonly seen: (result: KeptResult) => SeenResult;
  readonly identity: ReadonlySet<string>;
  readonly meter: Meter;
  /** Whether untrusted text chose a result, for the results that were checked so far. */
  readonly steered: Map<KeptResult, boolean>;
}

/** Cost of reading one character of a result: the number of characters that can be searched in the same time. */
const readCost = 128;

/** Creates a function that reads each result once, because the host keeps the result objects. Each use counts as a search. */
export function createSeen(lines: readonly ResultLine[]): (meter: Meter) => Evidence["seen"] {
  const known = new WeakMap<KeptResult, SeenResult>();
  return (meter) => (result) => {
    const before = known.get(result);
    const one = before ?? new SeenResult(result, lines);
    if (before === undefined) meter.work(one.size * readCost);
    meter.spend(one.size);
    known.set(result, one);
    return one;
  };
}

/** Returns the identity of a plan in the forms in which it is compared. */
export function identityOf({ identity }: Pick<FlowsConfig, "identity">): ReadonlySet<string> {
  return new Set(identity.flatMap((value) => [...formsOf(value), compactCode(value) ?? value]));
}

/** Whether the plan names a value as the user's own. `forms` are the forms of the value. */
export function isIdentity(
  value: string | number,
  forms: readonly string[],
  identity: ReadonlySet<string>,
): boolean {
  const code = compactCode(String(value));
  return forms.some((form) => identity.has(form)) || (code !== null && identity.has(code));
}
