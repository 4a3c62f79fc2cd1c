import { userInfo } from "node:os";

/** Variables of the host that every command gets. A plan names all others. */
const passed = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** Values for variables that the host does not have. */
const usual = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
};

export type Environment = Readonly<Record<string, string>>;

/** Builds the environment of commands from the passed variables, the variables that the plan names, and those that it sets. */
export function commandEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  { pass_env, env }: { readonly pass_env: readonly string[]; readonly env: Environment },
): Environment {
  const names = [...passed, ...pass_env];
  const taken = names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]));
  return { ...ofUser(), ...usual, ...Object.fromEntries(taken), ...env };
}

/** Returns the home and the name of this process's user. Containers are often started as a user whom their system does not know. */
function ofUser(): Environment {
  try {
    const { homedir, username } = userInfo();
    return { HOME: homedir, USER: username };
  } catch {
    return {};
  }
}

/** Returns the host's own variables, for callers that pass none. */
export function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
