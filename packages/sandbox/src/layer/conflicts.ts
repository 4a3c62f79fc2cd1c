import { join } from "node:path";
import { baseOf, type Base } from "./base.ts";
import type { LayerChange } from "./difference.ts";
import { commitNamed, contentOf, gitPartOf, repositoryOf, type Git } from "./git.ts";
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

function meetingsOf(change: LayerChange, meeting: Meeting): readonly Conflict[] {
  const { path, kind, former } = change;
  const { folder, changed } = meeting;
  if (kind === "mode") return [];
  if (former === null) return isGone(change, meeting) ? [{ path, reason: "the person deleted it" }] : [];
  if (former.kind === "folder") return meetingsBelow(path, meeting);
  if (!isChanged(path, former, meeting)) return [];
  if (kind === "write" && isEqual(join(folder, path), join(changed, path))) return [];
  return [{ path, reason: "the person changed it" }];
}

/**
 * Whether the person deleted an entry that the layer changed. Files that git itself deletes at any time do not count. Git moves names
 * of commits to `packed-refs`, so such a name counts by what it names.
 */
function isGone({ path, kind }: LayerChange, meeting: Meeting): boolean {
  const part = gitPartOf(path, kind === "folder");
  if (part === undefined || part === "setting") return baseOf(meeting.base, path).existed;
  return part === "ref" && !path.endsWith("packed-refs") && namesOther(path, meeting);
}

/** Whether a file of git names another commit than when the layer began. */
function namesOther(path: string, { folder, base }: Meeting): boolean {
  return commitNamed(path, (each) => contentOf(join(folder, each))) !== (baseOf(base, path).ref ?? "");
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

function isChanged(path: string, mark: Mark, meeting: Meeting): boolean {
  const part = gitPartOf(path);
  if (part === "ref") return namesOther(path, meeting);
  if (part !== undefined && part !== "setting") return false;
  return BigInt(mark.changed) > baseOf(meeting.base, path).since;
}
