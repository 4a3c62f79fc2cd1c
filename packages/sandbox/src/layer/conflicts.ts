import { join } from "node:path";
import { baseOf, type Base } from "./base.ts";
import type { LayerChange } from "./difference.ts";
import { contentOf, gitPartOf, ownFolderOf, repositoryOf, type Git } from "./git.ts";
import { isEqual, markOf, namesIn, type Mark } from "../system/mark.ts";

/** A change of the layer to something that the person has changed, too. */
export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

/** The folders, states and git by which conflicts are found. */
interface Meeting {
  readonly folder: string;
  readonly changed: string;
  readonly base: Base;
  readonly git: Git;
}

/**
 * Returns the changes of entries that the person changed after the layer began, by the kernel's change time, which no program
 * can set. Equal contents are no conflict. In git's own folder, only names of commits, what is staged, and settings can
 * conflict.
 */
export async function conflictsOf(
  changes: readonly LayerChange[],
  meeting: Meeting,
): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  for (const change of changes) {
    if (gitPartOf(change.path) === "index") {
      if (await isStagedBoth(change, meeting))
        found.push({ path: change.path, reason: "the person staged something else" });
    } else found.push(...meetingsOf(change, meeting));
  }
  return found;
}

async function isStagedBoth(
  { path }: LayerChange,
  { folder, changed, base, git }: Meeting,
): Promise<boolean> {
  const repository = join(folder, repositoryOf(path));
  const now = await git.staged(repository, join(folder, path));
  if (now === base.staged.get(path)) return false;
  return now !== (await git.staged(repository, join(changed, path)));
}

function meetingsOf({ path, kind, former }: LayerChange, meeting: Meeting): readonly Conflict[] {
  const { folder, changed } = meeting;
  if (kind === "mode") return [];
  if (former === null) return isGone(path, meeting) ? [{ path, reason: "the person deleted it" }] : [];
  if (former.kind === "folder") return meetingsBelow(path, meeting);
  if (!isChanged(path, former, meeting)) return [];
  if (kind === "write" && isEqual(join(folder, path), join(changed, path))) return [];
  return [{ path, reason: "the person changed it" }];
}

/**
 * Whether the person deleted an entry that the layer changed. Files that git itself deletes at any time do not count. For the
 * name of a commit, a change of `packed-refs` counts as well, because git moves such names there.
 */
function isGone(path: string, { folder, base }: Meeting): boolean {
  const part = gitPartOf(path);
  const { existed } = baseOf(base, path);
  if (part === undefined || part === "setting") return existed;
  if (part !== "ref" || path.endsWith("packed-refs")) return false;
  const packed = join(ownFolderOf(path), "packed-refs");
  return existed || contentOf(join(folder, packed)) !== (baseOf(base, packed).ref ?? "");
}

/** Returns what the person changed in a folder that the layer deletes. */
function meetingsBelow(path: string, meeting: Meeting): readonly Conflict[] {
  return namesIn(join(meeting.folder, path)).flatMap((name) => {
    const below = join(path, name);
    const mark = markOf(join(meeting.folder, below));
    if (mark?.kind === "folder") return meetingsBelow(below, meeting);
    return mark !== null && isChanged(below, mark, meeting)
      ? [{ path: below, reason: "the person changed it" }]
      : [];
  });
}

function isChanged(path: string, mark: Mark, { folder, base }: Meeting): boolean {
  const before = baseOf(base, path);
  const part = gitPartOf(path);
  if (part === "ref") return contentOf(join(folder, path)) !== before.ref;
  if (part !== undefined && part !== "setting") return false;
  return BigInt(mark.changed) > before.since;
}
