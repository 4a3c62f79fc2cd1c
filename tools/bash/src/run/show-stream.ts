import type { Capture } from "./capture.ts";

/** Matches terminal sequences: colours, cursor movements, titles. The first `\p{Cc}` must be ESC, which the replacer checks. */
const terminalSequence = /(?:\p{Cc})(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:\p{Cc}\\|\p{Cc}))/gu;

const escape = String.fromCharCode(27);

/** Returns output as a terminal shows it: without terminal sequences, and with other control characters as `\\x1b`. */
export function withoutControls(text: string): string {
  return playLines(text)
    .replaceAll(terminalSequence, (sequence) => (sequence.startsWith(escape) ? "" : sequence))
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Matches a carriage return, a backspace, and sequences that erase a line or a part of it. */
const inLine = new RegExp(String.raw`\r|${escape}\[[02]?K|\x08`, "g");

/** Applies characters that go back within a line: only the last state remains of a progress bar that was printed often. */
function playLines(text: string): string {
  if (!text.includes("\r") && !text.includes("\b")) return text;
  return text
    .split("\n")
    .map((line) => {
      const end = line.endsWith("\r") ? "\r" : "";
      return playLine(line.slice(0, line.length - end.length)) + end;
    })
    .join("\n");
}

/**
 * Applies the control characters of one line. It keeps the line as cells, so that going back a million times costs no more than
 * the length of the line. An erased line begins at `blanks`: spaces are written before it only if something is printed there.
 */
function playLine(line: string): string {
  let cells: string[] = [];
  let blanks = 0;
  let column = 0;
  let from = 0;
  const print = (text: string) => {
    if (text !== "" && column < blanks) {
      cells = [...Array<string>(blanks).fill(" "), ...cells];
      blanks = 0;
    }
    for (let at = 0; at < text.length; at++) cells[column++ - blanks] = text[at]!;
  };
  for (const { 0: sign, index } of line.matchAll(inLine)) {
    print(line.slice(from, index));
    from = index + sign.length;
    if (sign === "\r") column = 0;
    else if (sign === "\b") column = Math.max(0, column - 1);
    else if (sign.includes("2")) [cells, blanks] = [[], column];
    else cells.length = Math.min(cells.length, Math.max(0, column - blanks));
  }
  if (from === 0) return line;
  print(line.slice(from));
  return cells.length === 0 ? "" : " ".repeat(blanks) + cells.join("");
}

/** A stream as an answer shows it. */
interface ShownStream {
  readonly text: string;
  /** How much of the middle is left out, for example `12 lines`; null if the text is complete. */
  readonly left: string | null;
}

/**
 * Returns a stream as text. If it is larger than `limit`, returns its start and its end: whole lines, up to 40 % of the limit
 * each, or bytes, if lines are so long that less than 20 % would remain. A line between them says what is missing.
 */
export function showStream(capture: Capture, limit: number, id: string): ShownStream {
  if (capture.totalBytes <= limit)
    return { text: withoutControls(capture.start(limit).toString()), left: null };
  const played = playedWhole(capture, limit);
  if (played !== null) return { text: played, left: null };
  const share = Math.floor(limit * 0.4);
  const [head, tail] = [capture.start(share), capture.end(share + 1)];
  const [headLines, tailLines] = [wholeLines(head), wholeLinesAtEnd(tail)];
  if (headLines.length + tailLines.length >= limit * 0.2) {
    const omitted = capture.lines - countLines(headLines) - countLines(tailLines);
    return join(headLines, `${omitted} lines`, tailLines, capture, limit, id);
  }
  const [headBytes, tailBytes] = [wholeCharacters(head), wholeCharactersAtEnd(tail.subarray(1))];
  const omitted = capture.totalBytes - headBytes.length - tailBytes.length;
  return join(headBytes, `${omitted} bytes`, tailBytes, capture, limit, id);
}

/** Returns output that is small after its control characters are applied; null if it is not, or if a part was dropped. */
function playedWhole(capture: Capture, limit: number): string | null {
  const { totalBytes, keptBytes } = capture;
  if (keptBytes < totalBytes || totalBytes > maxPlayed) return null;
  const bytes = capture.page(0, totalBytes).bytes;
  if (!bytes.includes(13)) return null;
  const text = withoutControls(bytes.toString());
  return Buffer.byteLength(text) <= limit ? text : null;
}

/** Maximum number of bytes to which control characters are applied, to see whether the result is small. */
const maxPlayed = 4_194_304;

function join(
  head: Buffer,
  left: string,
  tail: Buffer,
  capture: Capture,
  limit: number,
  id: string,
): ShownStream {
  const facts = `${left} left out; ${capture.totalBytes} bytes in all, the limit is ${limit}`;
  const marker = `... [${facts}; read the rest with bash_output, id ${id}, or redirect the output to a file] ...`;
  const before = head.length === 0 || head.at(-1) === 10 ? "" : "\n";
  const [start, end] = [withoutControls(head.toString()), withoutControls(tail.toString())];
  return { text: `${start}${before}${marker}\n${end}`, left };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

/** Returns the whole lines at the end. `bytes` has one more byte at its start, which shows whether a line begins there. */
function wholeLinesAtEnd(bytes: Buffer): Buffer {
  const at = bytes.indexOf(10);
  return at === -1 ? bytes.subarray(bytes.length) : bytes.subarray(at + 1);
}

/** Removes the first bytes of a character that is cut off at the end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Removes the last bytes of a character that is cut off at the start. */
function wholeCharactersAtEnd(bytes: Buffer): Buffer {
  let at = 0;
  while (at < Math.min(3, bytes.length) && (bytes[at]! & 0xc0) === 0x80) at++;
  return bytes.subarray(at);
}
