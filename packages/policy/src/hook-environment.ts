/** Variables of the host that every hook gets, because the programs that it starts need them. */
const passed = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT"];

/** Returns a hook's environment: the passed variables, the plan's folder under the names that hooks expect, and `own`. */
export function hookEnvironment(
  own: Readonly<Record<string, string>>,
  folder: string | undefined,
): Record<string, string> {
  const host = hostEnvironment();
  const kept = passed.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]));
  const project = folder === undefined ? {} : { CLAUDE_PROJECT_DIR: folder, GEMINI_PROJECT_DIR: folder };
  return { ...Object.fromEntries(kept), ...project, ...own };
}

function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
