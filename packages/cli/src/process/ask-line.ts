import { createInterface } from "node:readline";
import type { Notices } from "./notices.ts";
import { Pastes } from "./pastes.ts";
import type { Shell } from "./shell.ts";

interface AskLineOptions {
  readonly notices?: Notices;
  /** What a second Ctrl-C does, as words for the hint "press Ctrl-C again to …". */
  readonly leaves?: string;
  /** Gets the pasted blocks: texts of several lines, and texts of more than 400 characters. */
  readonly pastes?: Set<string>;
}

/**
 * Asks for one line at a terminal; arrow keys show earlier lines. A paste of several lines becomes a part of the line. In a
 * terminal that does not mark pastes, lines that arrive together become one text. Ctrl-C empties the line; a second Ctrl-C on an
 * empty line ends the question. Returns null then, after Ctrl-D on an empty line, and after the signal.
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
    // The notice is written above, and the line that is being typed moves down.
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
    // The immediate runs after all lines of the chunk have been read, so a paste that arrives as lines is complete.
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
    // Lines from Node's history are separated by carriage returns if their text had several lines.
    return whole.replaceAll("\r", "\n");
  }
}
