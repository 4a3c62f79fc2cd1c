import { homedir, userInfo } from "node:os";

/** Variables of the host that every command gets; whatever else it gets, a plan names. */
const passed = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** What commands get where the host has no such variable. */
const usual = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
};

export type Environment = Readonly<Record<string, string>>;

/** Builds the environment of commands from nothing: the passed names, what the plan names, and what it sets. */
export function commandEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  { pass_env, env }: { readonly pass_env: readonly string[]; readonly env: Environment },
): Environment {
  const names = [...passed, ...pass_env];
  const taken = names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]));
  return { HOME: homedir(), USER: userInfo().username, ...usual, ...Object.fromEntries(taken), ...env };
}

/** The host's own variables, for callers that pass none. */
export function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
