import { isDeepStrictEqual } from "node:util";
import { compareLocks, type LockChange, type PlanLock } from "./lock-file.ts";

/** Both sides of a lock file with a merge conflict. Each was accepted in its own branch. */
export interface LockSides {
  readonly ours: PlanLock;
  readonly theirs: PlanLock;
}

/** Merges both sides by name. Where they differ, takes their side if it equals what the plan has now, and otherwise ours. */
export function mergeLocks({ ours, theirs }: LockSides, now: Pick<PlanLock, "tools" | "files">): PlanLock {
  const files = mergeByName(ours.files, theirs.files, now.files);
  const definitions = mergeByName(ours.definitions, theirs.definitions);
  return {
    version: 1,
    tools: mergeByName(ours.tools, theirs.tools, now.tools),
    ...(Object.keys(definitions).length > 0 && { definitions }),
    ...(Object.keys(files).length > 0 && { files }),
  };
}

type ByName<Value> = Readonly<Record<string, Value>>;

function mergeByName<Value>(ours: ByName<Value> = {}, theirs: ByName<Value> = {}, now: ByName<Value> = {}) {
  const isTheirs = ([name, value]: readonly [string, Value]) =>
    !Object.hasOwn(ours, name) || isDeepStrictEqual(value, now[name]);
  return { ...ours, ...Object.fromEntries(Object.entries(theirs).filter(isTheirs)) };
}

/** Returns the tools that are on both sides and differ: `before` is our side, `now` is theirs. */
export function differingTools({ ours, theirs }: LockSides): readonly LockChange[] {
  return compareLocks(ours, theirs).filter(({ change }) => change === "changed");
}

/** Returns both texts of a file with conflict markers; null if it has no marker. Lines of the common ancestor are left out. */
export function sidesOfText(text: string): readonly [string, string] | null {
  if (!/^<{7}(?: |\r?$)/m.test(text)) return null;
  const sides: [string[], string[]] = [[], []];
  let side: "both" | "ours" | "base" | "theirs" = "both";
  for (const line of text.split("\n")) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?: |\r?$)/.exec(line)?.[1]?.[0];
    if (marker !== undefined) side = markers[marker]!;
    else {
      if (side === "both" || side === "ours") sides[0].push(line);
      if (side === "both" || side === "theirs") sides[1].push(line);
    }
  }
  return [sides[0].join("\n"), sides[1].join("\n")];
}

/** The side to which the lines after a marker belong. */
const markers: Readonly<Record<string, "both" | "ours" | "base" | "theirs">> = {
  "<": "ours",
  "|": "base",
  "=": "theirs",
  ">": "both",
};
