import { basicVariables } from "../system/environment.ts";

/** Returns the environment of a process: what each program needs, and the names that the plan lists. */
export function processEnvironment(names: readonly string[]): Record<string, string> {
  const host = hostEnvironment();
  return Object.fromEntries(
    [...basicVariables(), ...names].flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])),
  );
}

function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
