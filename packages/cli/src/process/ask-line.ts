import { createInterface } from "node:readline";
import type { Notices } from "./notices.ts";
import { Pastes } from "./pastes.ts";
import type { Shell } from "./shell.ts";

/**
 * Asks for one line at a terminal; arrow keys show earlier lines. A paste of several lines is one part of the line, and Enter
 * sends it. Of a terminal that does not mark pastes, lines that arrive together are one text. Null after Ctrl-C, Ctrl-D on an empty line, or the signal.
 */
export async function askLine(
  terminal: NonNullable<Shell["terminal"]>,
  prompt: string,
  history: readonly string[],
  signal: AbortSignal,
  notices?: Notices,
): Promise<string | null> {
  const { output } = terminal;
  const input = new Pastes(terminal);
  const reader = createInterface({ input, output, terminal: true, prompt, history: [...history] });
  const lines: string[] = [];
  const restore = notices?.redirect((line) => {
    // The line that is being typed moves down.
    output.write(`\r\u001b[J${line}\n`);
    reader.prompt(true);
  });
  const text = await new Promise<string | null>((resolve) => {
    const leave = () => resolve(null);
    signal.addEventListener("abort", leave, { once: true });
    reader.once("SIGINT", leave);
    // The rest of a chunk is read before this: what was pasted is whole.
    reader.on("line", (line) => void (lines.push(line) === 1 && setImmediate(() => resolve(withRest()))));
    reader.once("close", () => lines.length === 0 && leave());
    reader.prompt();
  });
  restore?.();
  reader.close();
  input.close();
  if (text === null) output.write("\n");
  return text;

  function withRest(): string {
    return input.whole([...lines, ...(reader.line === "" ? [] : [reader.line])].join("\n"));
  }
}
