import { basename, dirname, join, resolve } from "node:path";
import { follow } from "./follow.ts";
import { requireHonestName } from "./names.ts";
import { PathError } from "./path-error.ts";
import type { Access, Rules } from "./rules.ts";

/** A path that was judged: how it was given, and where it really is. */
export interface Place {
  readonly given: string;
  /** Absolute, free of links, inside a root at the time of judging. */
  readonly real: string;
}

/** Judges a path, links followed to their end. Throws `INVALID_PATH` or `ACCESS_DENIED`. */
export async function locate(rules: Rules, given: string, access: Access): Promise<Place> {
  const absolute = requireLikely(rules, given, access);
  return judged(rules, { given, real: await follow(absolute) }, access);
}

/**
 * Judges the entry itself: links on the way are followed, the last name is not. A link that leads outside is refused
 * like anything outside.
 */
export async function locateEntry(rules: Rules, given: string, access: Access): Promise<Place> {
  const absolute = requireLikely(rules, given, access);
  const real = join(await follow(dirname(absolute)), basename(absolute));
  const place = judged(rules, { given, real }, access);
  judged(rules, { given, real: await follow(real) }, access);
  return place;
}

/** Refuses, before the disk is touched, what cannot lead inside. */
function requireLikely(rules: Rules, given: string, access: Access): string {
  requireHonestName(given, process.platform);
  const absolute = resolve(rules.workingDir, given);
  if (!rules.mayLeadInside(absolute, access))
    throw new PathError("ACCESS_DENIED", { path: given, reason: access });
  return absolute;
}

function judged(rules: Rules, place: Place, access: Access): Place {
  const reason = rules.objection(place.real, access);
  if (reason !== null) throw new PathError("ACCESS_DENIED", { path: place.given, reason });
  return place;
}
