import type { ParsedSettings } from "./config.ts";

/** Arguments of every run: files to skip, no links, no configuration of its own. */
export function walkArguments(
  { exclusions }: Pick<ParsedSettings, "exclusions">,
  includeIgnored: boolean,
): readonly string[] {
  const common = ["--hidden", "--no-follow", "--no-messages", "--no-require-git", "--no-ignore-global"];
  if (includeIgnored) return [...common, "--no-ignore"];
  return [...common, ...exclusions.map((name) => `--glob=!**/${name}`)];
}
