import { join } from "node:path";
import type { CommitRecord, Step } from "./commit.ts";
import { contentOf, gitPartOf, type Git } from "./git.ts";
import { isSame, markOf, namesIn } from "./mark.ts";

/** Paths that the person changed after a keep: they would be lost by its undo. */
export async function changedSinceKeep(
  { steps, staged }: CommitRecord,
  { folder, git }: { readonly folder: string; readonly git: Git },
): Promise<readonly string[]> {
  const known = new Set(steps.map(({ path }) => path));
  const changed = steps.filter((step) => isChanged(step, folder, known)).map(({ path }) => path);
  for (const [index, digest] of Object.entries(staged)) {
    const file = join(folder, index);
    if ((await git.staged(join(file, "../.."), file)) !== digest) changed.push(index);
  }
  return changed;
}

function isChanged(step: Step, folder: string, known: ReadonlySet<string>): boolean {
  const { path, kind, entry, ref } = step;
  const target = join(folder, path);
  const now = markOf(target);
  const part = gitPartOf(path, kind === "folder" || step.former?.kind === "folder");
  if (part === "ref") return (now === null ? undefined : contentOf(target)) !== ref;
  if (part !== undefined && part !== "setting") return false;
  switch (kind) {
    case "mode":
      return now?.kind !== "folder";
    case "delete":
      return now !== null;
    case "folder":
      return now?.kind !== "folder" || namesIn(target).some((name) => !isKnown(join(path, name), known));
    case "write":
      return !isSame(now, entry) || now?.modified !== entry?.modified || now?.mode !== entry?.mode;
  }
}

/** Whether the keep itself put an entry into a folder that it made. Objects of git may be in it. */
function isKnown(path: string, known: ReadonlySet<string>): boolean {
  return known.has(path) || gitPartOf(path) !== undefined;
}
