import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, sep } from "node:path";

/** A word that is out: how it is found, and what to write instead. */
interface Word {
  readonly pattern: string;
  readonly instead: string;
}

/** Words that read like a translation. STYLE: the field's words, the actor as the subject, no riddles. */
export const words: readonly Word[] = [
  { pattern: "told|tells", instead: "reports, says, emits, notifies, logs" },
  { pattern: "whoever|whomever|whosoever", instead: "the caller, the approver, the process that …" },
  { pattern: "nobody|somebody", instead: "no approver, no caller, a person, another process" },
  { pattern: "anew", instead: "again" },
  { pattern: "mends?|mended|mending", instead: "fix, repair" },
  { pattern: "(?<!there )(?:is|are|was|were) none", instead: "is not valid, there is no …" },
  { pattern: "(?:go|goes|going|gone|went) on with", instead: "resume, continue" },
  { pattern: "(?:goes|gone|went) on", instead: "continues, keeps running, resumed" },
  { pattern: "stands? for|stood for|stands? in for|stands in", instead: "means, is in, replaces" },
  { pattern: "puts? down|written down|writes? down", instead: "stored, recorded" },
  { pattern: "takes? back|taken back|took back", instead: "revoke, undo" },
  { pattern: "for leave|asks leave|leave to (?:run|call|write|do)", instead: "permission" },
  { pattern: "heed|heeds|heeded", instead: "follow, apply, obey" },
  { pattern: "that it lives|it still lives|who lives", instead: "is running, holds the lease" },
  { pattern: "in vain|aught|thereof|wherefrom|whereby|beforehand", instead: "say it plainly" },
];

/** Files that hold other people's text, data or the list itself. */
const skipped: readonly RegExp[] = [
  /(?:^|\/)fixtures\//,
  /^pnpm-lock\.yaml$/,
  // Data and schemas; a manifest's words are its author's, and are scanned.
  /(?<!package)\.json$/,
  /^LICENSE$/,
  /\.(?:svg|png|jsonl|snap|pdf|gz|db)$/,
  /^test\/support\/plain-english\.ts$/,
  /^test\/plain-english\.test\.ts$/,
];

/** A sentence that keeps such a word, and why. */
export interface Exception {
  readonly file: string;
  /** A part of the line. */
  readonly text: string;
  readonly reason: string;
}

const anyOf = (patterns: readonly string[]) => `(?:${patterns.join("|")})`.replaceAll(" ", " +");
const word = new RegExp(`(?<![\\w-])${anyOf(words.map(({ pattern }) => pattern))}(?![\\w-])`, "gi");

/** Each use of a word that is out in a text: `line:word, write …`. A line break inside a phrase is a space. */
export function findWords(text: string): { line: number; found: string; instead: string; source: string }[] {
  const lines = text.split("\n");
  // A phrase may be cut by the end of a comment's line.
  const joined = text.replace(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, (cut) => " ".repeat(cut.length));
  return [...joined.matchAll(word)].map(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return { line, found, instead: insteadOf(found), source: lines[line - 1] ?? "" };
  });
}

function insteadOf(found: string): string {
  const match = words.find(({ pattern }) => new RegExp(`^${anyOf([pattern])}$`, "i").test(found));
  return match?.instead ?? "other words";
}

/** Folders and files that git does not track, as `.gitignore` lists them. */
const untracked = new Set([
  ".git",
  "node_modules",
  "dist",
  ".turbo",
  ".toolchain",
  ".reports",
  ".toolmount",
  ".scratch",
]);

/** Every text of this repository that people read, and the sources that print what they read. */
export async function readTexts(root: string): Promise<{ file: string; text: string }[]> {
  const found = globSync("**/*.*", { cwd: root, exclude: (path) => untracked.has(basename(path)) });
  const files = found
    .map((file) => file.replaceAll(sep, "/"))
    .filter((file) => !skipped.some((rule) => rule.test(file)));
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(root, file), "utf8").catch(() => "") })),
  );
}
