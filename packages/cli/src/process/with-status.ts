import { createStatusLine, type StatusLine } from "../screen/status-line.ts";
import { shellWith, type Shell } from "./shell.ts";

/** Creates a status line, and a shell that removes this line before it writes to standard error. */
export function openStatus(shell: Shell): { readonly status: StatusLine; readonly shell: Shell } {
  const status = createStatusLine(shell.err, shell.env);
  return { status, shell: shellWith(shell, { err: status.over(shell.err) }) };
}

/**
 * Runs work and, at a terminal, shows `doing` in a status line if it takes longer than half a second. The work must not write
 * answers.
 */
export async function withStatus<Value>(
  given: Shell,
  doing: string,
  work: (shell: Shell) => Promise<Value>,
): Promise<Value> {
  const { status, shell } = openStatus(given);
  status.show([doing]);
  try {
    return await work(shell);
  } finally {
    status.show([]);
  }
}
