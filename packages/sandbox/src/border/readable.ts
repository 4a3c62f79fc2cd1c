import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBelow } from "@toolmount/paths";

/**
 * Returns the paths to make readable, without anything secret. A folder that holds a secret path is replaced by its other
 * present entries. A path that is itself secret, or below a secret one, stays, because the plan has named it.
 */
export function readablePaths(paths: readonly string[], secret: readonly string[]): readonly string[] {
  const spelled = [...new Set(secret.flatMap((path) => [path, placeOf(path)]))];
  return [...new Set(paths.flatMap((path) => without(path, spelled, paths)))];
}

function without(path: string, secret: readonly string[], named: readonly string[]): readonly string[] {
  const place = placeOf(path);
  // The plan may name a path below a secret one, such as a fetched module in .toolmount. In it, only the secret paths below it
  // are hidden.
  const held = secret.filter((each) => each !== place && isBelow(each, place));
  if (held.length === 0 || !statSync(place).isDirectory()) return [path];
  return readdirSync(path)
    .map((name) => join(path, name))
    .filter((entry) => existsSync(entry) && (!isSecret(entry, held) || named.includes(entry)))
    .flatMap((entry) => without(entry, held, named));
}

function isSecret(entry: string, secret: readonly string[]): boolean {
  const place = placeOf(entry);
  return secret.some((each) => isBelow(place, each) || isBelow(entry, each));
}

/** Returns the real place of a path; the part that does not exist stays as it is written. */
function placeOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(placeOf(dirname(path)), path.slice(dirname(path).length));
  }
}
