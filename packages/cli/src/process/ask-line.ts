import { createInterface } from "node:readline";
import type { Notices } from "./notices.ts";
import { Pastes } from "./pastes.ts";
import type { Shell } from "./shell.ts";

interface AskLineOptions {
  readonly notices?: Notices;
  /** The effect of a second Ctrl-C, as text. */
  readonly leaves?: string;
  /** Collects the pasted blocks: texts of several lines, or long ones. */
  readonly pastes?: Set<string>;
}

/**
 * Asks for one line at a terminal; arrow keys show earlier lines. A paste of several lines is one part of the line, and Enter
 * sends it. If the terminal does not mark pastes, lines that arrive together are one text. Ctrl-C empties the line; on an empty
 * line a second Ctrl-C `leaves`. Returns null after that, after Ctrl-D on an empty line, and after the signal.
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
    // The rest of a chunk is read before the immediate runs, so a paste is complete by then.
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
    // Node's history separates the lines of an earlier text with carriage returns.
    return whole.replaceAll("\r", "\n");
  }
}
