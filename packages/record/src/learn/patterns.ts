/** A pattern over one argument, and the values behind it. */
interface ValuePattern {
  readonly glob: string;
  readonly values: ReadonlySet<string>;
}

/**
 * The narrowest patterns for these values: paths of one folder and addresses of one host share a pattern, all others have one
 * each. A pattern that also matches a refused value is replaced by the values themselves.
 */
export function findPatterns(values: readonly string[], refused: readonly string[]): ValuePattern[] {
  const groups = Map.groupBy(new Set(values), startOf);
  return [...groups].flatMap(([start, members]) => {
    const prefix = sharedStart(members);
    const isShared = start !== null && members.length > 1;
    if (isShared && !refused.some((value) => value.startsWith(prefix)))
      return [{ glob: `${escapeGlob(prefix)}*`, values: new Set(members) }];
    return exactly(members);
  });
}

/**
 * Each value as its own pattern. The words at the beginning of a command do not say what it does: `git -C x`, `find . -name` and
 * `xargs -0` begin harmless commands, and those that run any other program.
 */
export function exactly(values: readonly string[]): ValuePattern[] {
  return [...new Set(values)].map((value) => ({ glob: escapeGlob(value), values: new Set([value]) }));
}

/** Values with the same start may share a pattern; null: this one shares none. */
function startOf(value: string): string | null {
  // A pattern for addresses names their host: "https://*" would be every server.
  if (value.includes("://")) return /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+\//i.exec(value)?.[0] ?? null;
  // A path outside of every folder, one that leaves its folder, and what is no path alone share no pattern.
  const folder = /^(?:\.{0,2}\/)?[^/\s]+\//.exec(value)?.[0];
  return folder === undefined || value.includes("..") || /\s/.test(value) ? null : folder;
}

/** The longest start that all values have, cut where a folder ends. */
function sharedStart(values: readonly string[]): string {
  const [first = "", ...others] = values;
  let length = first.length;
  for (const other of others) {
    let at = 0;
    while (at < length && first[at] === other[at]) at++;
    length = at;
  }
  return first.slice(0, first.lastIndexOf("/", length - 1) + 1);
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?\\]|^[!<>]/g, String.raw`\$&`);
}
