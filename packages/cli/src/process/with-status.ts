import { createStatusLine } from "../screen/status-line.ts";
import type { Shell } from "./shell.ts";

/** Runs work. When it takes over half a second at a terminal, a line says what is done. The work must not write answers. */
export async function withStatus<Value>(
  shell: Shell,
  doing: string,
  work: (shell: Shell) => Promise<Value>,
): Promise<Value> {
  const status = createStatusLine(shell.err, shell.env);
  status.show([doing]);
  try {
    return await work({ ...shell, err: status.over(shell.err) });
  } finally {
    status.show([]);
  }
}
