import { createStatusLine, type StatusLine } from "../screen/status-line.ts";
import { shellWith, type Shell } from "./shell.ts";

/** Returns a status line, and the shell whose standard error removes the line before it writes. */
export function openStatus(shell: Shell): { readonly status: StatusLine; readonly shell: Shell } {
  const status = createStatusLine(shell.err, shell.env);
  return { status, shell: shellWith(shell, { err: status.over(shell.err) }) };
}

/** Runs work. If it takes over half a second at a terminal, a line shows what is done. The work must not write answers. */
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
