import type { Capture } from "./capture.ts";

/** Terminal sequences: colours, cursor movements, titles. `\p{Cc}` at the start is ESC, which the replacer checks. */
const terminalSequence = /(?:\p{Cc})(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:\p{Cc}\\|\p{Cc}))/gu;

const escape = String.fromCharCode(27);

/** Output without terminal sequences, and with other control characters as `\\x1b`. */
export function withoutControls(text: string): string {
  return text
    .replaceAll(terminalSequence, (sequence) => (sequence.startsWith(escape) ? "" : sequence))
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A stream as an answer shows it. */
interface ShownStream {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * The stream as text, or where it is larger than `limit` its start and its end: whole lines, up to 40 % of the limit
 * each; or bytes, where lines are so long that less than 20 % would be left. A line between says what is missing.
 */
export function showStream(capture: Capture, limit: number, id: string): ShownStream {
  if (capture.totalBytes <= limit)
    return { text: withoutControls(capture.start(limit).toString()), truncated: false };
  const share = Math.floor(limit * 0.4);
  const [head, tail] = [capture.start(share), capture.end(share + 1)];
  const [headLines, tailLines] = [wholeLines(head), wholeLinesAtEnd(tail)];
  if (headLines.length + tailLines.length >= limit * 0.2) {
    const omitted = capture.lines - countLines(headLines) - countLines(tailLines);
    return join(headLines, `${omitted} lines left out`, tailLines, capture, limit, id);
  }
  const [headBytes, tailBytes] = [wholeCharacters(head), wholeCharactersAtEnd(tail.subarray(1))];
  const omitted = capture.totalBytes - headBytes.length - tailBytes.length;
  return join(headBytes, `${omitted} bytes left out`, tailBytes, capture, limit, id);
}

function join(
  head: Buffer,
  omitted: string,
  tail: Buffer,
  capture: Capture,
  limit: number,
  id: string,
): ShownStream {
  const facts = `${omitted}; ${capture.totalBytes} bytes in all, the limit is ${limit}`;
  const marker = `... [${facts}; read the rest with bash_output, id ${id}, or redirect the output to a file] ...`;
  const before = head.length === 0 || head.at(-1) === 10 ? "" : "\n";
  const [start, end] = [withoutControls(head.toString()), withoutControls(tail.toString())];
  return { text: `${start}${before}${marker}\n${end}`, truncated: true };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

/** `bytes` has one byte more at its start, which shows whether a line begins there. */
function wholeLinesAtEnd(bytes: Buffer): Buffer {
  const at = bytes.indexOf(10);
  return at === -1 ? bytes.subarray(bytes.length) : bytes.subarray(at + 1);
}

/** Without the first bytes of a character that is cut at the end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without the last bytes of a character that is cut at the start. */
function wholeCharactersAtEnd(bytes: Buffer): Buffer {
  let at = 0;
  while (at < Math.min(3, bytes.length) && (bytes[at]! & 0xc0) === 0x80) at++;
  return bytes.subarray(at);
}
