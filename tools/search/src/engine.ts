import type { ParsedSettings } from "./config.ts";

/** What every run of the engine is told: which files to look past, and never to follow links or its own configuration. */
export function walkArguments(
  { exclusions }: Pick<ParsedSettings, "exclusions">,
  includeIgnored: boolean,
): readonly string[] {
  const common = ["--hidden", "--no-follow", "--no-messages", "--no-require-git", "--no-ignore-global"];
  if (includeIgnored) return [...common, "--no-ignore"];
  return [...common, ...exclusions.map((name) => `--glob=!**/${name}`)];
}
