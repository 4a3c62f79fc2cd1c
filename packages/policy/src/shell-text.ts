/** Signs with which a text of a shell joins, nests or redirects commands. */
const joins = /[;&|<>(){}`\n\r]|\$\(/;

/** Whether a text is one command with words, and nothing that runs another one or writes to a file. */
export function isPlainCommand(text: string): boolean {
  return !joins.test(text.trim());
}

/** Words before a command that do not change which command it is. */
const before =
  /^(?:(?:if|then|elif|else|while|until|do|time|!|sudo|command|builtin|exec|nohup|env)\s+|[A-Za-z_]\w*=\S*\s+)+/;

/**
 * The commands that a text may run, for rules that deny or ask. It reads too much rather than too little: words
 * in quotes count as commands, too. It is no parser, so such a rule is no border (docs/security-boundary.md).
 */
export function readCommands(text: string): readonly string[] {
  const parts = text.split(/[;&|<>(){}`\n\r]+|\$\(/).map((part) => part.trim().replaceAll(/\s+/g, " "));
  const plain = parts.flatMap((part) => [part, part.replace(before, "")]);
  const unquoted = plain.map((part) => part.replaceAll(/["'\\]/g, "").trim());
  const unplaced = unquoted.map((part) => part.replace(/^\S*\//, ""));
  return [...new Set([text, ...plain, ...unquoted, ...unplaced])].filter((part) => part !== "");
}
