import { basename, dirname, join, resolve } from "node:path";
import { follow } from "./follow.ts";
import { requireHonestName } from "./names.ts";
import { PathError } from "./path-error.ts";
import type { Access, Rules } from "./rules.ts";

/** A checked path: `given` is the path as it was given, `real` where it really is. */
export interface Place {
  readonly given: string;
  /** Absolute, without links, and inside a root when it was checked. */
  readonly real: string;
}

/** Checks a path after following all links. Throws `INVALID_PATH` or `ACCESS_DENIED`. */
export async function locate(rules: Rules, given: string, access: Access): Promise<Place> {
  const absolute = requireLikely(rules, given, access);
  return judged(rules, { given, real: await follow(absolute) }, access);
}

/**
 * Checks the entry itself: follows links on the way, but not in the last name. A link that leads outside is refused like
 * any path outside.
 */
export async function locateEntry(rules: Rules, given: string, access: Access): Promise<Place> {
  const absolute = requireLikely(rules, given, access);
  const real = join(await follow(dirname(absolute)), basename(absolute));
  const place = judged(rules, { given, real }, access);
  judged(rules, { given, real: await follow(real) }, access);
  return place;
}

/** Returns the absolute path. Throws for a path that cannot lead inside a root, without touching the disk. */
function requireLikely(rules: Rules, given: string, access: Access): string {
  requireHonestName(given, process.platform);
  const absolute = resolve(rules.workingDir, given);
  if (!rules.mayLeadInside(absolute, access))
    throw new PathError("ACCESS_DENIED", { path: given, reason: access });
  return absolute;
}

/** Throws `NOT_A_DIRECTORY` for a file whose path ends with a slash, because such a path names a folder. */
export function requireFilePath({ given }: Pick<Place, "given">, platform = process.platform): void {
  if (/[/\\]\.?$/.test(platform === "win32" ? given : given.replaceAll("\\", "_")))
    throw new PathError("NOT_A_DIRECTORY", { path: given });
}

function judged(rules: Rules, place: Place, access: Access): Place {
  const reason = rules.objection(place.real, access);
  if (reason !== null) throw new PathError("ACCESS_DENIED", { path: place.given, reason });
  return place;
}
