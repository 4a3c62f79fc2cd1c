import type { Json } from "@toolmount/core";

/** A text or number of a JSON value, with its path: `.0.sender`; the root's is empty. */
export interface Leaf {
  readonly path: string;
  readonly value: string | number;
  /** The record or list that has it. */
  readonly parent: Json | undefined;
}

/** Deepest level that is walked. The host has checked the depth of results and arguments before. */
const maxLevels = 64;

/** Calls `visit` for each text and number. Keys that are no identifiers count as texts: a person chose them. */
export function walk(value: unknown, visit: (leaf: Leaf) => void): void {
  step(value, "", undefined, 0, visit);
}

function step(
  value: unknown,
  path: string,
  parent: unknown,
  level: number,
  visit: (leaf: Leaf) => void,
): void {
  if (typeof value === "string" || typeof value === "number")
    return visit({ path, value, parent: parent as Json | undefined });
  if (typeof value !== "object" || value === null || level > maxLevels) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) step(value[at], `${path}.${at}`, value, level + 1, visit);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (!/^[A-Za-z_]\w*$/.test(key)) visit({ path: `${path}.~`, value: key, parent: value as Json });
    step(member, `${path}.${key}`, value, level + 1, visit);
  }
}

/** The texts and numbers of a value, in order. */
export function leavesOf(value: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  walk(value, (leaf) => leaves.push(leaf));
  return leaves;
}
