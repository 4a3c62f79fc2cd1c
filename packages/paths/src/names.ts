import { PathError } from "./path-error.ts";

/** Longest path in characters; the supported systems refuse longer ones. */
const maxPathLength = 4096;

/** Names that Windows reads as devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?$/i;

/**
 * Refuses malformed paths with `INVALID_PATH`: empty, too long, with a NUL or half a character; on Windows also network paths,
 * devices, streams (`a.txt:b`) and names whose end the system would drop.
 *
 * Nothing is expanded or decoded: `~`, `$HOME` and `%2e` are ordinary names.
 */
export function requireHonestName(path: string, platform: string): void {
  const problem = commonProblem(path) ?? (platform === "win32" ? windowsProblem(path) : undefined);
  if (problem !== undefined) throw new PathError("INVALID_PATH", { path: path.slice(0, 200), problem });
}

function commonProblem(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > maxPathLength) return `it is longer than ${maxPathLength} characters`;
  if (path.includes("\0")) return "it contains a NUL character";
  return path.isWellFormed() ? undefined : "it contains half of a character";
}

function windowsProblem(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path)) return "it names a network or device path";
  const names = path.replace(/^[a-z]:(?=[\\/])/i, "").split(/[\\/]/);
  if (names.some((name) => /[<>:"|?*]|\p{Cc}/u.test(name)))
    return "a name in it has a character that Windows does not allow";
  if (names.some((name) => /[. ]$/.test(name) && !/^\.{1,2}$/.test(name)))
    return "a name in it ends with a dot or a space";
  return names.some((name) => device.test(name)) ? "it names a device" : undefined;
}
