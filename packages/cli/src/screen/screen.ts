import { styleText } from "node:util";
import { jsonText } from "./printable.ts";
import { wrapped } from "./wrap.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** An output stream, and the ways to write to it. */
export interface Screen {
  /** Columns of the terminal; undefined without a terminal, where lines may have any width. */
  readonly columns: number | undefined;
  /** Writes a piece of a text. */
  write(text: string): void;
  /** Writes a text and ends the line. On a terminal, a line that is too long is broken between words. */
  line(text?: string): void;
  /** Writes a value as JSON, for programs. */
  json(value: unknown): void;
  /** Writes one of many values as JSON, on one line. */
  jsonLine(value: unknown): void;
  /** Tests whether output no longer arrives, because the reader has closed the stream. */
  isLost(): boolean;
  /** Styles a text if colours are wanted; otherwise returns it unchanged. */
  paint(style: Style | readonly Style[], text: string): string;
}

/** The part of a stream that a screen needs. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
  /** Set if writes no longer arrive: the code of the error. */
  readonly lost?: string | undefined;
}

/**
 * Creates a screen for a stream. `NO_COLOR` and `FORCE_COLOR` decide whether it uses colours; without them, only a terminal gets
 * colours.
 */
export function createScreen(sink: Sink, env: Readonly<Record<string, string | undefined>>): Screen {
  const colours = wantsColours(sink, env);
  const screen: Screen = {
    // A terminal of unknown size reports 0.
    get columns() {
      return sink.isTTY === true ? sink.columns || 80 : undefined;
    },
    write: (text) => void sink.write(text),
    line: (text = "") => void sink.write(`${wrapped(screen, text)}\n`),
    jsonLine: (value) => void sink.write(`${jsonText(value, 0)}\n`),
    json: (value) => void sink.write(`${jsonText(value)}\n`),
    isLost: () => sink.lost !== undefined,
    paint: (style, text) => (colours ? styleText([style].flat(), text, { validateStream: false }) : text),
  };
  return screen;
}

/** Sources of the rules: no-color.org, force-color.org. */
function wantsColours({ isTTY }: Sink, env: Readonly<Record<string, string | undefined>>): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0";
  return isTTY === true && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
