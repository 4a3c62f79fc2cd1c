import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { ReadStream } from "node:tty";
import type { Shell } from "./shell.ts";

type Terminal = NonNullable<Shell["terminal"]>;

/** The sequences before and after a paste, and those that switch them on and off in a terminal. */
const [start, end] = ["\u001b[200~", "\u001b[201~"];
const [on, off] = ["\u001b[?2004h", "\u001b[?2004l"];

/** Maximum number of characters of a pasted line that is shown as it is. */
const maxShown = 400;

/**
 * Passes on the keys of a terminal, but shows a long paste, or one of several lines, as a short text such as `[pasted 220
 * lines]`. The person can type more around it, and `whole` puts the pasted text back. It must be closed after use.
 */
export class Pastes extends Transform {
  readonly isTTY = true;
  readonly #terminal: Terminal;
  readonly #decoder = new StringDecoder("utf8");
  readonly #texts = new Map<string, string>();
  #rest = "";
  #paste: string | null = null;

  constructor(terminal: Terminal) {
    super({ decodeStrings: false, encoding: "utf8" });
    this.#terminal = terminal;
    terminal.output.write(on);
    terminal.input.on("data", this.#read);
    terminal.input.on("end", this.#finish);
    terminal.input.resume();
  }

  /** Switches the terminal's raw mode. Node's readline calls this on its input. */
  setRawMode(isRaw: boolean): this {
    const { input } = this.#terminal;
    if (input instanceof ReadStream) input.setRawMode(isRaw);
    return this;
  }

  /** Returns the pasted texts that are shown as short texts. */
  blocks(): Iterable<string> {
    return this.#texts.values();
  }

  /** Returns a line with the pasted texts in place of the short ones. */
  whole(line: string): string {
    let text = line;
    for (const [shown, pasted] of this.#texts) text = text.replaceAll(shown, () => pasted);
    return text;
  }

  close(): void {
    this.#terminal.input.off("data", this.#read);
    this.#terminal.input.off("end", this.#finish);
    this.#terminal.input.pause();
    this.#terminal.output.write(off);
  }

  override _transform(chunk: string, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest += chunk;
    for (let isMore = true; isMore;) isMore = this.#take();
    done();
  }

  readonly #read = (chunk: Buffer | string): void => {
    this.write(typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
  };

  readonly #finish = (): void => {
    this.end();
  };

  /** Passes on keys up to the next mark of a paste, or collects a paste up to its end. Returns whether more can be taken. */
  #take(): boolean {
    const isPaste = this.#paste !== null;
    const mark = isPaste ? end : start;
    const at = this.#rest.indexOf(mark);
    const taken =
      at === -1 ? this.#rest.slice(0, this.#rest.length - halfOf(mark, this.#rest)) : this.#rest.slice(0, at);
    this.#rest = this.#rest.slice(taken.length + (at === -1 ? 0 : mark.length));
    if (isPaste) this.#paste += taken;
    // Alt-Enter begins another line, as a backslash before Enter does.
    else if (taken !== "") this.push(taken.replaceAll("\u001b\r", "\\\r"));
    if (at === -1) return false;
    if (isPaste) this.push(this.#shown(this.#paste!));
    this.#paste = isPaste ? null : "";
    return true;
  }

  #shown(pasted: string): string {
    const text = pasted.replaceAll(/\r\n?/g, "\n");
    const lines = text.replace(/\n$/, "").split("\n").length;
    // Control characters are removed, because readline would take them for keys.
    if (lines === 1 && text.length <= maxShown) return text.replaceAll(/\p{Cc}/gu, "");
    const name = lines === 1 ? `[pasted ${text.length} characters` : `[pasted ${lines} lines`;
    const same = [...this.#texts.keys()].filter((shown) => shown.startsWith(name)).length;
    const shown = same === 0 ? `${name}]` : `${name}, ${same + 1}]`;
    this.#texts.set(shown, text);
    return shown;
  }
}

/**
 * Counts how many characters at the end of `text` may be the beginning of `mark`. A single escape is not counted, because it is
 * the key.
 */
function halfOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 1; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
