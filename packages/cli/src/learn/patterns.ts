/** A pattern over one argument, and the values behind it. */
interface ValuePattern {
  readonly glob: string;
  readonly values: ReadonlySet<string>;
}

/** What a text is: patterns of a command are cut between words, those of paths and addresses at a slash. */
export type ValueKind = "command" | "text";

/**
 * The narrowest patterns for these values: those that begin in the same way share a pattern, all others have one each. A
 * pattern that also matches a refused value is replaced by the values themselves.
 */
export function findPatterns(
  values: readonly string[],
  refused: readonly string[],
  kind: ValueKind,
): ValuePattern[] {
  const groups = Map.groupBy(new Set(values), (value) => startOf(value, kind));
  return [...groups].flatMap(([start, members]) => {
    const prefix = sharedStart(members, kind);
    // A command may have its blanks elsewhere: without its first words, "git *" would be every command of git.
    const isShared = start !== null && members.length > 1 && prefix.startsWith(start);
    if (isShared && !refused.some((value) => value.startsWith(prefix)))
      return [{ glob: `${escapeGlob(prefix)}*`, values: new Set(members) }];
    return members.map((value) => ({ glob: escapeGlob(value), values: new Set([value]) }));
  });
}

/** Values with the same start may share a pattern; null: this one shares none. */
function startOf(value: string, kind: ValueKind): string | null {
  if (kind === "command") return /^\s*\S+\s+\S+(?=\s+\S)/.exec(value)?.[0] ?? null;
  // A pattern for addresses names their host: "https://*" would be every server.
  if (value.includes("://")) return /^[a-z][a-z0-9+.-]*:\/\/[^/]+\//i.exec(value)?.[0] ?? null;
  // A path outside of every folder, or one that leaves its folder, shares no pattern.
  const folder = /^(?:\.{0,2}\/)?[^/\s]+\//.exec(value)?.[0];
  return folder === undefined || value.includes("..") ? null : folder;
}

/** The longest start that all values have, cut where a word or a folder ends. */
function sharedStart(values: readonly string[], kind: ValueKind): string {
  const [first = "", ...others] = values;
  let length = first.length;
  for (const other of others) {
    let at = 0;
    while (at < length && first[at] === other[at]) at++;
    length = at;
  }
  return first.slice(0, first.lastIndexOf(kind === "command" ? " " : "/", length - 1) + 1);
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?\\]/g, "\\$&");
}
