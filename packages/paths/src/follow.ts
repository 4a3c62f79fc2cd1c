import { readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, parse, sep } from "node:path";
import { errnoOf } from "./path-error.ts";

/** Maximum number of links in one path; more count as a loop. Source: Linux, path_resolution(7). */
const maxLinks = 40;

/**
 * Returns the real place of an absolute path, even if it does not exist.
 *
 * Follows every link on the way, even if its target does not exist. The part that does not exist stays as written, so
 * that a caller can check what a dangling link would create.
 */
export async function follow(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return await walk(path);
  }
}

async function walk(path: string): Promise<string> {
  const { root } = parse(path);
  let at = root;
  let left = path.slice(root.length).split(sep).filter(Boolean);
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    // `at` is not a link, so `..` leads to the folder above it.
    const next = join(at, name);
    const target = await linkTarget(next);
    if (target === "missing" || (target !== null && ++links > maxLinks)) return join(next, ...left);
    if (target === null) {
      at = next;
      continue;
    }
    if (isAbsolute(target.path)) at = parse(target.path).root;
    left = [...target.path.split(sep).filter(Boolean), ...left];
  }
  return at;
}

/** Returns the target of a link; null for other entries; `missing` for an entry that is absent or unreadable. */
async function linkTarget(path: string): Promise<{ path: string } | "missing" | null> {
  try {
    return { path: await readlink(path) };
  } catch (thrown) {
    return errnoOf(thrown) === "EINVAL" || errnoOf(thrown) === "UNKNOWN" ? null : "missing";
  }
}
