import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { AuthoredText, RunOptions } from "@toolmount/reasoner";

/** A prompt with the images and files that it names. */
interface PromptWithFiles {
  /** The prompt, followed by the texts of files. These are marked as attached, because the user did not write them. */
  readonly prompt: readonly AuthoredText[];
  readonly images: readonly Image[];
  /** A line for each file: what was sent, or why it was not. */
  readonly notes: readonly string[];
}

type Image = NonNullable<RunOptions["images"]>[number];

/** Maximum number of bytes of a file that is sent, by its kind. */
const maxBytes = { image: 5_000_000, text: 262_144 } as const;

/**
 * Reads the files that the typed parts of a prompt name as `@path` or `@"path with spaces"`. An image becomes a part of the
 * message, and a text follows the prompt. A word such as `@ada` that names no file stays a word.
 */
export async function readPromptFiles(
  prompt: readonly AuthoredText[],
  cwd: string,
): Promise<PromptWithFiles> {
  const typed = prompt.filter(({ author }) => author === "typed").map(({ text }) => text);
  const paths = [...typed.join("\n").matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)].map(
    ([, quoted, plain = ""]) => quoted ?? plain.replace(/[,;:!?)]+$/, ""),
  );
  const files = await readFiles(paths, cwd);
  return { ...withFiles(prompt, files), notes: files.flatMap((file) => noteOf(file) ?? []) };
}

/** A file that a person named, with its content or with the reason why it is not sent. */
export type NamedFile = { readonly path: string } & (
  | { readonly facts: string; readonly image: Image }
  | { readonly facts: string; readonly text: string }
  | { readonly problem: string }
);

/** Reads files for a model, each once. */
export async function readFiles(paths: readonly string[], cwd: string): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of new Set(paths)) files.push(await readOne(path, resolve(cwd, path)));
  return files;
}

/** Returns a prompt with the texts of `files` after it, and the images among `files`. */
export function withFiles(
  prompt: readonly AuthoredText[],
  files: readonly NamedFile[],
): Pick<PromptWithFiles, "prompt" | "images"> {
  const texts = files.flatMap((file): AuthoredText[] =>
    "text" in file
      ? [{ author: "attached", text: `\n\n<file path=${JSON.stringify(file.path)}>\n${file.text}\n</file>` }]
      : [],
  );
  return {
    prompt: [...prompt, ...texts],
    images: files.flatMap((file) => ("image" in file ? file.image : [])),
  };
}

/**
 * Splits a line of a chat into typed text and the blocks that were pasted into it. It searches long blocks first, because they
 * may contain short ones.
 */
export function partsOfLine(line: string, pastes: ReadonlySet<string>): readonly AuthoredText[] {
  const block = [...pastes]
    .toSorted((a, b) => b.length - a.length)
    .find((each) => each !== "" && line.includes(each));
  if (block === undefined) return line === "" ? [] : [{ author: "typed", text: line }];
  const at = line.indexOf(block);
  return [
    ...partsOfLine(line.slice(0, at), pastes),
    { author: "pasted", text: block },
    ...partsOfLine(line.slice(at + block.length), pastes),
  ];
}

const absent = "there is no such file";

/** Tests whether a person probably meant a word, such as `@ada`, and not the path of a missing file, such as `@ada.txt`. */
export function isWord(file: NamedFile): boolean {
  return "problem" in file && file.problem === absent && !/[/\\]|\.\w{1,8}$/.test(file.path);
}

function noteOf(file: NamedFile): string | undefined {
  if (isWord(file)) return undefined;
  const note = "problem" in file ? `${file.problem}; it is sent as a word` : file.facts;
  return `@${file.path}: ${note}`;
}

async function readOne(path: string, file: string): Promise<NamedFile> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return { path, problem: absent };
  if (!found.isFile()) return { path, problem: "it is not a file" };
  if (found.size > maxBytes.image) return { path, problem: tooLarge(found.size, maxBytes.image) };
  const bytes = await readFile(file);
  const mediaType = mediaTypeOf(bytes);
  const size = sizeText(bytes.length);
  if (mediaType !== undefined)
    return {
      path,
      facts: `${mediaType}, ${size}`,
      image: { mimeType: mediaType, data: bytes.toString("base64") },
    };
  if (bytes.length > maxBytes.text) return { path, problem: tooLarge(bytes.length, maxBytes.text) };
  const text = readUtf8(bytes);
  if (text === undefined) return { path, problem: "it is neither an image nor a text" };
  return { path, facts: `text, ${size}`, text };
}

function tooLarge(bytes: number, limit: number): string {
  return `${sizeText(bytes)} are too large to send, at most ${sizeText(limit)}`;
}

/** The first bytes of files that models accept. They are checked, because a file's name may be wrong. */
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

/** Formats bytes for people: `12 kB`. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
