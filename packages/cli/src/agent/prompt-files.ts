import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunOptions } from "@toolmount/reasoner";

/** A prompt, with the images and files that it names. */
export interface PromptWithFiles {
  /** The prompt; texts of files are below it. */
  readonly prompt: string;
  readonly images: readonly Image[];
  /** A line for each file: what was sent, or why it was not. */
  readonly notes: readonly string[];
}

type Image = NonNullable<RunOptions["images"]>[number];

/** Most bytes of an image, and of a text. */
const maxBytes = { image: 5_000_000, text: 262_144 } as const;

/**
 * Reads the files that a prompt names as `@path` or `@"path with spaces"`. An image becomes a part of the message, a
 * text follows the prompt. A word such as `@ada`, which is no file, stays a word.
 */
export async function readPromptFiles(prompt: string, cwd: string): Promise<PromptWithFiles> {
  const paths = [...prompt.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)].map(
    ([, quoted, plain = ""]) => quoted ?? plain.replace(/[,;:!?)]+$/, ""),
  );
  const texts: string[] = [];
  const images: Image[] = [];
  const notes: string[] = [];
  for (const path of new Set(paths)) {
    const read = await readOne(path, resolve(cwd, path));
    if (read === undefined) continue;
    notes.push(read.note);
    if (read.image !== undefined) images.push(read.image);
    if (read.text !== undefined) texts.push(`\n\n<file path=${JSON.stringify(path)}>\n${read.text}\n</file>`);
  }
  return { prompt: prompt + texts.join(""), images, notes };
}

interface ReadFile {
  readonly note: string;
  readonly image?: Image;
  readonly text?: string;
}

/** A file; undefined for a word that is not meant as one. */
async function readOne(path: string, file: string): Promise<ReadFile | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    return /[/\\]|\.\w{1,8}$/.test(path)
      ? { note: `@${path}: there is no such file; it is sent as a word` }
      : undefined;
  if (!found.isFile()) return { note: `@${path}: it is not a file; it is sent as a word` };
  if (found.size > maxBytes.image) return tooLarge(path, found.size, maxBytes.image);
  const bytes = await readFile(file);
  const mediaType = mediaTypeOf(bytes);
  const size = sizeText(bytes.length);
  if (mediaType === undefined) {
    if (bytes.length > maxBytes.text) return tooLarge(path, bytes.length, maxBytes.text);
    const text = readUtf8(bytes);
    if (text === undefined)
      return { note: `@${path}: it is neither an image nor a text; it is sent as a word` };
    return { note: `@${path}: text, ${size}`, text };
  }
  return {
    note: `@${path}: ${mediaType}, ${size}`,
    image: { mimeType: mediaType, data: bytes.toString("base64") },
  };
}

function tooLarge(path: string, bytes: number, limit: number): ReadFile {
  return {
    note: `@${path}: ${sizeText(bytes)} are too large to send, at most ${sizeText(limit)}; it is sent as a word`,
  };
}

/** The first bytes of the files that models take. The name of a file may say anything. */
const signatures: readonly (readonly [mediaType: string, hexadecimal: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638/],
  ["image/webp", /^52494646.{8}57454250/],
];

function mediaTypeOf(bytes: Buffer): string | undefined {
  const begin = bytes.subarray(0, 16).toString("hex");
  return signatures.find(([, signature]) => signature.test(begin))?.[0];
}

function readUtf8(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes for people: `12 kB`. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
