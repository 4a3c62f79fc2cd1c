import { createInterface } from "node:readline";
import type { Notices } from "./notices.ts";
import { Pastes } from "./pastes.ts";
import type { Shell } from "./shell.ts";

interface AskLineOptions {
  readonly notices?: Notices;
  /** What a second Ctrl-C does, in words. */
  readonly leaves?: string;
  /** Gets the blocks that were pasted: texts of several lines, or long ones. */
  readonly pastes?: Set<string>;
}

/**
 * Asks for one line at a terminal; arrow keys show earlier lines. A paste of several lines is one part of the line, and Enter
 * sends it. Of a terminal that does not mark pastes, lines that arrive together are one text. Ctrl-C empties the line;
 * on an empty one, a second Ctrl-C `leaves`. Null after that, after Ctrl-D on an empty line, and after the signal.
 */
export async function askLine(
  terminal: NonNullable<Shell["terminal"]>,
  prompt: string,
  history: readonly string[],
  signal: AbortSignal,
  { notices, leaves = "leave", pastes }: AskLineOptions = {},
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
    let isLeaving = false;
    reader.on("SIGINT", () => {
      const isEmpty = reader.line === "";
      if (isEmpty && isLeaving) return leave();
      isLeaving = isEmpty;
      if (!isEmpty) return ["e", "u"].forEach((name) => reader.write(null, { ctrl: true, name }));
      output.write(`\r\u001b[Jpress Ctrl-C again to ${leaves}\n`);
      reader.prompt();
    });
    // The rest of a chunk is read before this: what was pasted is whole.
    reader.on("line", (line) => void (lines.push(line) === 1 && setImmediate(() => resolve(withRest()))));
    reader.once("close", () => lines.length === 0 && leave());
    reader.prompt();
  });
  restore?.();
  reader.close();
  input.close();
  for (const block of input.blocks()) pastes?.add(block);
  if (text === null) output.write("\n");
  return text;

  function withRest(): string {
    const whole = input.whole([...lines, ...(reader.line === "" ? [] : [reader.line])].join("\n"));
    // Node's history separates the lines of an earlier text by a carriage return.
    return whole.replaceAll("\r", "\n");
  }
}
