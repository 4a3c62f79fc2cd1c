import { isUtf8 } from "node:buffer";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "./bubblewrap.ts";

/**
 * Private-use character for the byte 0; the characters after it are for the other bytes. Only those for bytes from 0x80 on
 * occur.
 */
const firstByte = 0x10ff00;

/** The first half of each of these characters in a JavaScript string. */
const half = "\udbff";

/**
 * Whether Node may have lost bytes of a name: it reads each byte that is not UTF-8 as U+FFFD, and a name may itself contain the
 * characters that mean bytes here.
 */
export function isUnsure(name: string): boolean {
  return name.includes("\ufffd") || name.includes(half);
}

/**
 * Returns a name on the disk as a text in which private-use characters mean bytes that are not UTF-8. Different names get
 * different texts.
 */
export function textOfName(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => isUtf8(bytes.subarray(at, at + each))) ?? 0;
    const text = bytes.toString("utf8", at, at + length);
    const isText = length > 0 && !text.startsWith(half);
    parts.push(isText ? text : String.fromCodePoint(firstByte + bytes[at]!));
    at += isText ? length : 1;
  }
  return parts.join("");
}

/** Returns the path for a text in the form that `node:fs` needs. */
export function pathOfText(text: string): string | Buffer {
  return text.includes(half) ? bytesOfText(text) : text;
}

/** Returns the bytes of a path; private-use characters become the bytes that they mean. */
function bytesOfText(text: string): Buffer {
  const parts = Array.from(text, (character) => {
    const byte = character.codePointAt(0)! - firstByte;
    return byte >= 0x80 ? Buffer.of(byte) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

const run = promisify(execFile);

/** The folder in which a program runs, and the `PATH` on which it is found. */
interface RunsIn {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a program on paths below a folder, as often as the kernel's limit for the length of a command requires. `words` are
 * arguments of xargs, because Node cannot give a program an argument that is not UTF-8.
 */
export async function runOn(
  paths: readonly string[],
  words: readonly string[],
  { cwd, env }: RunsIn,
): Promise<void> {
  if (paths.length === 0) return;
  const xargs = findProgram("xargs", env["PATH"]);
  if (xargs === undefined) throw new Error("xargs is not on PATH; install the package findutils");
  const running = run(xargs, ["-0", ...words], { cwd, env: { PATH: env["PATH"] } });
  const lines = paths.map((path) => Buffer.from(pathOfText(`${path}\0`)));
  // The program may end before it has read everything; its error is then the result.
  running.child.stdin!.on("error", () => {}).end(Buffer.concat(lines));
  await running;
}
