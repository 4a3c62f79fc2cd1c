import type { ParsedSettings } from "./config.ts";

/**
 * Returns the arguments of every run that walks folders: files to skip, not to follow links, to ignore git's global settings,
 * and to report each skipped path.
 */
export function walkArguments(
  { exclusions }: Pick<ParsedSettings, "exclusions">,
  includeIgnored: boolean,
): readonly string[] {
  const common = ["--hidden", "--no-follow", "--debug", "--no-require-git", "--no-ignore-global"];
  if (includeIgnored) return [...common, "--no-ignore"];
  return [...common, ...exclusions.map((name) => `--glob=!**/${name}`)];
}

/** Returns the engine's arguments that select files by a pattern of their names; none without a pattern. */
export function nameArguments(pattern: string | null): readonly string[] {
  return pattern === null ? [] : [`--type-add=wanted:${pattern}`, "--type=wanted"];
}

/** Whether an argument is one of {@link nameArguments}. */
export function isNameArgument(argument: string): boolean {
  return /^--type(?:-add)?=wanted(?::|$)/.test(argument);
}
