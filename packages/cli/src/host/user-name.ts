import { userInfo } from "node:os";

/** Returns the name of the operating system's user, which is recorded with the answers to questions. */
export function readUserName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env["USER"] ?? env["LOGNAME"];
  if (named !== undefined && named !== "") return named;
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return "the person at the terminal";
  }
}
