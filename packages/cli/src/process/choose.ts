import { emitKeypressEvents, type Key } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { systemClock, type Clock } from "@toolmount/core";
import { wrapAnsi } from "fast-wrap-ansi";
import type { Screen } from "../screen/screen.ts";

/** One answer to a question. The person chooses it by its key, or with the arrow keys and Enter. */
export interface Choice<Value> {
  readonly value: Value;
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Whether Enter has to follow the key. */
  readonly needsEnter?: boolean | undefined;
}

interface Question<Value> {
  readonly message: string;
  /** The choices. The cursor begins at the first one, which must be the harmless one. */
  readonly choices: readonly Choice<Value>[];
  readonly signal?: AbortSignal | undefined;
}

/** The streams of the terminal. The clock measures the time before keys count. */
export interface QuestionTerminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly clock?: Pick<Clock, "setTimer"> | undefined;
}

/** How many milliseconds must pass without a key before a key counts, because a person needs this long to notice the question. */
const quietMs = 500;

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Makes the terminal mark pasted text, so that a pasted letter does not count as an answer. */
const markPastes = "\u001b[?2004h";
const leavePastes = "\u001b[?2004l";

/**
 * Asks the person at the terminal to choose. Undefined after Ctrl-C, Escape, or the signal.
 *
 * A key does not count if it was typed before the question was drawn, or within half a second of another key that did not count,
 * because the person is then typing something else. Several keys that arrive together are a paste, which does not count either.
 */
export function choose<Value>(
  screen: Screen,
  { input, output, clock = systemClock }: QuestionTerminal,
  { message, choices, signal }: Question<Value>,
): Promise<Value | undefined> {
  if (signal?.aborted === true) return Promise.resolve(undefined);
  const frame = createFrame(output);
  let at = 0;
  return new Promise((resolve) => {
    output.write(hideCursor + markPastes);
    const leave = () => end(undefined);
    const quiet = createQuiet(clock, draw);
    const stopReading = readKeys(input, take);
    signal?.addEventListener("abort", leave);
    quiet.begin();

    function take(keys: readonly Key[], isPaste: boolean): void {
      if (keys.some(({ ctrl, name }) => ctrl === true && name === "c")) leave();
      else if (!quiet.isOver() || isPaste) quiet.begin();
      else if (keys.length === 1) press(keys[0]!);
      else if (keys.every(isTextless)) keys.forEach(move);
      else startAgain();
    }

    function press(key: Key): void {
      if (key.name === "return" || key.name === "enter") return end(choices[at]);
      if (key.name === "escape") return leave();
      if (isTextless(key)) return move(key);
      const letter = choices.findIndex((choice) => choice.key === key.sequence?.toLowerCase());
      if (letter === -1) return startAgain();
      at = letter;
      if (choices[at]?.needsEnter === true) draw();
      else end(choices[at]);
    }

    function move({ name }: Key): void {
      if (name !== "up" && name !== "down") return;
      at = (at + (name === "up" ? choices.length - 1 : 1)) % choices.length;
      draw();
    }

    function startAgain(): void {
      at = 0;
      quiet.begin();
    }

    function end(choice: Choice<Value> | undefined): void {
      quiet.end();
      stopReading();
      signal?.removeEventListener("abort", leave);
      frame.draw(endLines(screen, message, choice));
      output.write(`\n${leavePastes}${showCursor}`);
      resolve(choice?.value);
    }

    function draw(): void {
      frame.draw(questionLines(screen, message, { choices, at, doKeysCount: quiet.isOver() }));
    }
  });
}

/** Asks whether to do something. The cursor begins at "No". Undefined as with {@link choose}. */
export function askWhether(
  screen: Screen,
  terminal: QuestionTerminal,
  question: Omit<Question<boolean>, "choices">,
): Promise<boolean | undefined> {
  const choices = [
    { value: false, key: "n", label: "No" },
    { value: true, key: "y", label: "Yes" },
  ];
  return choose(screen, terminal, { ...question, choices });
}

/** Tests whether a key has no text, such as an arrow. Such keys do not count as typing. */
function isTextless({ sequence = "", ctrl, meta }: Key): boolean {
  return sequence.startsWith("\u001b") || ctrl === true || meta === true;
}

/**
 * Creates the period in which keys do not count. Each key in it begins it again. `onChange` is called when it begins and ends.
 */
function createQuiet(clock: Pick<Clock, "setTimer">, onChange: () => void) {
  let isOver = false;
  let undo = () => {};
  const finish = () => {
    isOver = true;
    onChange();
  };
  return {
    isOver: () => isOver,
    begin(): void {
      isOver = false;
      undo();
      let turn: NodeJS.Immediate | undefined;
      // The immediate runs after waiting bytes have been read, so keys from before the end of the period do not count.
      const timer = clock.setTimer(() => (turn = setImmediate(finish)), quietMs);
      undo = () => {
        timer.cancel();
        clearImmediate(turn);
      };
      onChange();
    },
    end: () => undo(),
  };
}

/**
 * Passes the keys of a terminal to `take`, chunk by chunk, until the returned function is called. The end of the input counts as
 * Ctrl-C.
 */
function readKeys(input: Readable, take: (keys: readonly Key[], isPaste: boolean) => void): () => void {
  let keys: Key[] = [];
  let isPasting = false;
  const collect = (_text: string | undefined, key: Key) => {
    keys.push(key);
    // Node waits to see whether an escape sequence continues, so a single Escape arrives after its chunk.
    if (key.name === "escape") takeChunk();
  };
  const takeChunk = () => {
    const chunk = keys;
    keys = [];
    const wasPasting = isPasting;
    for (const { name } of chunk) isPasting = name === "paste-start" || (isPasting && name !== "paste-end");
    take(chunk, isPasting || wasPasting || chunk.some(({ name }) => name === "paste-end"));
  };
  const leave = () => take([{ ctrl: true, name: "c" }], false);
  setRawMode(input, true);
  emitKeypressEvents(input);
  // The order matters: for each chunk, its keys must be collected before `takeChunk` passes them on.
  input.on("keypress", collect).on("data", takeChunk).on("end", leave);
  input.resume();
  return () => {
    input.off("keypress", collect).off("data", takeChunk).off("end", leave);
    setRawMode(input, false);
    input.pause();
  };
}

/** Switches raw mode, in which a terminal passes on each key at once and does not show it. */
export function setRawMode(input: Readable, on: boolean): void {
  const terminal = input as Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  if (terminal.isTTY === true) terminal.setRawMode?.(on);
}

interface Drawn<Value> {
  readonly choices: readonly Choice<Value>[];
  readonly at: number;
  readonly doKeysCount: boolean;
}

function questionLines<Value>(screen: Screen, message: string, drawn: Drawn<Value>): string[] {
  const { choices, at } = drawn;
  const bar = screen.paint("cyan", "│");
  const row = ({ key, label, hint }: Choice<Value>, index: number) => {
    const text = index === at ? label : screen.paint("dim", label);
    const mark = index === at ? screen.paint("green", "●") : screen.paint("dim", "○");
    return `${bar}  ${mark} ${key}  ${text}${hint === undefined ? "" : screen.paint("dim", ` (${hint})`)}`;
  };
  return [
    screen.paint("dim", "│"),
    `${screen.paint("cyan", "◆")}  ${message}`,
    ...choices.map(row),
    `${screen.paint("cyan", "└")}  ${advice(screen, drawn)}`,
  ];
}

function advice<Value>(screen: Screen, { choices, at, doKeysCount }: Drawn<Value>): string {
  const chosen = choices[at]!;
  if (!doKeysCount) return screen.paint("dim", "Keys do not count yet.");
  if (chosen.needsEnter === true) return screen.paint(["bold", "yellow"], `Press Enter: ${chosen.label}.`);
  if (choices.some(({ needsEnter }) => needsEnter))
    return screen.paint("dim", "Press a letter. To approve, press its letter, then Enter.");
  return screen.paint("dim", "Press a letter, or the arrows and Enter.");
}

function endLines<Value>(screen: Screen, message: string, choice: Choice<Value> | undefined): string[] {
  const bar = screen.paint("dim", "│");
  if (choice === undefined) return [bar, `${screen.paint("red", "■")}  ${message}`];
  const answer = screen.paint("dim", `${choice.key}  ${choice.label}`);
  return [bar, `${screen.paint("green", "◇")}  ${message}`, `${bar}  ${answer}`];
}

/** Creates a frame on the screen: each drawing replaces the previous one. */
function createFrame(output: Writable & { readonly columns?: number }) {
  let before = "";
  const wrap = (text: string) => wrapAnsi(text, output.columns ?? 80, { hard: true, trim: false });
  return {
    draw(lines: readonly string[]): void {
      const text = lines.join("\n");
      if (text === before) return;
      const up = wrap(before).split("\n").length - 1;
      output.write(`${up === 0 ? "" : `\u001b[${up}A`}\r\u001b[J${wrap(text)}`);
      before = text;
    },
  };
}
