import { basicVariables } from "../system/environment.ts";

/** Returns the environment of a process: the variables that every program needs, and those that the plan lists, or all. */
export function processEnvironment(names: readonly string[] | "all"): Record<string, string> {
  const host = hostEnvironment();
  const wanted = names === "all" ? Object.keys(host) : [...basicVariables(), ...names];
  return Object.fromEntries(wanted.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])));
}

function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
