/** A pattern over one argument, and the values from which it was made. */
interface ValuePattern {
  readonly glob: string;
  readonly values: ReadonlySet<string>;
}

/**
 * Returns the narrowest patterns for these values: paths of one folder and addresses of one host share a pattern, and every
 * other value has its own. A pattern that also matches a refused value is replaced by the values themselves.
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
 * Returns each value as its own pattern. The first words of a command do not say what it does: `git -C x`, `find . -name` and
 * `xargs -0` begin harmless commands, but also commands that run any other program.
 */
export function exactly(values: readonly string[]): ValuePattern[] {
  return [...new Set(values)].map((value) => ({ glob: escapeGlob(value), values: new Set([value]) }));
}

/** Returns the start of a value. Values with the same start may share a pattern; null means that the value shares none. */
function startOf(value: string): string | null {
  // A pattern for addresses names their host, because "https://*" would match every server.
  if (value.includes("://")) return /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+\//i.exec(value)?.[0] ?? null;
  // Paths outside of every folder, paths that leave their folder, and texts that are not only a path share no pattern.
  const folder = /^(?:\.{0,2}\/)?[^/\s]+\//.exec(value)?.[0];
  return folder === undefined || value.includes("..") || /\s/.test(value) ? null : folder;
}

/** Returns the longest start that all values share, up to the end of a folder. */
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
