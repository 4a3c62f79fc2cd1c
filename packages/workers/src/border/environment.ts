/** Variables of the host that every process gets: Node needs none of them, but programs that a tool starts do. */
const passed = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** The environment of a process: the passed names, and the names that the plan lists. */
export function processEnvironment(names: readonly string[]): Record<string, string> {
  const host = hostEnvironment();
  return Object.fromEntries(
    [...passed, ...names].flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])),
  );
}

function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
