import { userInfo } from "node:os";

/** Returns the name of the operating system's user, under which answers are recorded. */
export function readUserName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env["USER"] ?? env["LOGNAME"];
  if (named !== undefined && named !== "") return named;
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return "the person at the terminal";
  }
}
