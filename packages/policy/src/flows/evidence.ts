import type { CallHistory, KeptResult, ValueOrigin } from "@toolmount/core";
import type { Meter } from "./meter.ts";
import type { FlowsConfig, ResultLine } from "./schema.ts";
import { SeenResult } from "./seen.ts";
import { compactCode, formsOf } from "./text.ts";
import type { UserWords } from "./words.ts";

/** Where one value came from. */
export type Found = Pick<ValueOrigin, "origin" | "from"> & { readonly isAccepted: boolean };

/** What a call's values are compared with. */
export interface Evidence {
  readonly words: UserWords;
  readonly history: CallHistory;
  readonly seen: (result: KeptResult) => SeenResult;
  readonly identity: ReadonlySet<string>;
  readonly meter: Meter;
  /** Whether untrusted text chose a result, for the results that were looked at. */
  readonly steered: Map<KeptResult, boolean>;
}

/** Reading a character of a result takes as long as searching so many. */
const readCost = 128;

/** Reads each result once: the results are objects that the host keeps. Each time that one is looked at is a search of it. */
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

/** The identity of a plan, as it is compared. */
export function identityOf({ identity }: Pick<FlowsConfig, "identity">): ReadonlySet<string> {
  return new Set(identity.flatMap((value) => [...formsOf(value), compactCode(value) ?? value]));
}

/** Whether the plan names the value, of which `forms` are the forms, as the user's own. */
export function isIdentity(
  value: string | number,
  forms: readonly string[],
  identity: ReadonlySet<string>,
): boolean {
  const code = compactCode(String(value));
  return forms.some((form) => identity.has(form)) || (code !== null && identity.has(code));
}
