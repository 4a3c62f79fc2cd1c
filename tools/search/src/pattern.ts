import { RE2JS } from "re2js";
import { Refusal } from "./refusal.ts";

/** Whether a path matches; paths are relative and have `/` between names. */
export type PathFilter = (path: string) => boolean;

/** Longest pattern, and how deep braces may stand in braces. */
export const maxPatternLength = 1000;
const maxDepth = 10;

/**
 * Prepares a path pattern: `*` and `?` within a name, `**` over any number of folders, `[a-z]` and `[!a-z]`, `{a,b}`,
 * and `\` before what is meant literally. The whole path must fit. Takes time in proportion to the path, whatever the
 * pattern. Throws a refusal with `INVALID_PATTERN`.
 */
export function compilePattern(pattern: string): PathFilter {
  return compile(pattern, pattern);
}

/** One pattern, or a list of them between commas; a name with a comma fits too. `given` is what messages name. */
function compile(pattern: string, given: string, anchored = (each: string) => each): PathFilter {
  const parts = listOf(pattern);
  const all = (parts.length > 1 ? [pattern, ...parts] : [pattern]).map((each) =>
    compileOne(anchored(each), given),
  );
  return (path) => all.some((fits) => fits(path));
}

/** The patterns between the commas that are in no braces or brackets. */
function listOf(pattern: string): readonly string[] {
  if (!pattern.includes(",")) return [pattern];
  const parts = pattern.match(/(?:\\.|\[[^\]]*\]|\{[^}]*\}|[^,])+/gs) ?? [pattern];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function compileOne(pattern: string, given: string): PathFilter {
  const source = translate(pattern, given);
  try {
    const compiled = RE2JS.compile(source, RE2JS.DOTALL);
    return (path) => compiled.matches(path);
  } catch {
    throw invalid(given, "it cannot be understood");
  }
}

/** As {@link compilePattern}; but a pattern without `/` is about the name alone, in whichever folder, and `!` turns it. */
export function compileNamePattern(pattern: string): PathFilter {
  const parts = listOf(pattern).map((part) => part.replace(/^(?:!!)+/, ""));
  const [left, wanted] = [parts.filter(isTurned), parts.filter((part) => !isTurned(part))];
  const leaves = left.map((part) => compile(part.slice(1), part.slice(1), anchor));
  const fits = wanted.length === 0 ? () => true : compile(wanted.join(","), wanted.join(","), anchor);
  return (path) => fits(path) && !leaves.some((leavesOut) => leavesOut(path));
}

function isTurned(pattern: string): boolean {
  return pattern.startsWith("!");
}

/** Fits what the pattern names, and all below folders that it names. */
export function compileExclusion(pattern: string): PathFilter {
  const named = anchor(pattern.replace(/\/+$/, ""));
  const own = compile(named, pattern);
  const below = compile(`${named}/**`, pattern);
  return (path) => own(path) || below(path);
}

function anchor(pattern: string): string {
  return pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`;
}

function translate(pattern: string, given: string): string {
  requireRelative(pattern, given);
  const glob = pattern.replace(/^(?:\.\/)+/, "");
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length;) {
    const [piece, length] = pieceAt(glob, at, depth > 0, given);
    if (piece === "(?:") depth++;
    if (piece === ")") depth--;
    if (depth > maxDepth) throw invalid(given, `braces stand more than ${maxDepth} deep`);
    source += piece;
    at += length;
  }
  if (depth > 0) throw invalid(given, "a { is not closed");
  return source;
}

/** The regular expression for what stands at a place, and how many characters that is. */
function pieceAt(glob: string, at: number, inBraces: boolean, pattern: string): [string, number] {
  const character = glob[at]!;
  const rest = glob.slice(at);
  const atStart = at === 0 || "/{,".includes(glob[at - 1]!);
  if (character === "*") {
    if (atStart && /^\*\*+\//.test(rest)) return ["(?:[^/]+/)*", /^\*+\//.exec(rest)![0].length];
    if (atStart && /^\*\*+(?:$|[,}])/.test(rest)) return [".+", /^\*+/.exec(rest)![0].length];
    return ["[^/]*", /^\*+/.exec(rest)![0].length];
  }
  if (character === "?") return ["[^/]", 1];
  if (character === "[") return setAt(rest, pattern);
  if (character === "{") return ["(?:", 1];
  if (character === "}" && inBraces) return [")", 1];
  if (character === "," && inBraces) return ["|", 1];
  if (character !== "\\") return [RE2JS.quote(character), 1];
  if (rest.length === 1) throw invalid(pattern, "nothing stands after the last \\");
  return [RE2JS.quote(rest[1]!), 2];
}

/** `[abc]`, `[a-z]`, `[!abc]`; never a `/`. */
function setAt(rest: string, pattern: string): [string, number] {
  const found = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
  if (found === null) throw invalid(pattern, "a [ is not closed");
  const [all, turned, members = ""] = found;
  const escaped = members.replaceAll(/[\\[\]^&~|]/g, String.raw`\$&`);
  const set = turned === "" ? `[${escaped}]` : `[^/${escaped}]`;
  // Folders of routes are named `[id]`: a set that is a plain word also fits itself.
  return [/^\[{1,2}[\w.]{2,}$/.test(all.slice(0, -1)) ? `(?:${set}|${RE2JS.quote(all)})` : set, all.length];
}

function requireRelative(pattern: string, given: string): void {
  if (pattern.startsWith("/") || /^[A-Za-z]:[\\/]/.test(pattern))
    throw invalid(given, "it is absolute; give the folder as path, and the pattern relative to it");
  if (pattern.split("/").includes(".."))
    throw invalid(given, "it has ..; give the folder as path, and the pattern relative to it");
}

function invalid(pattern: string, problem: string): Refusal {
  return new Refusal(`Invalid pattern: ${pattern.slice(0, 200)}: ${problem}`, "INVALID_PATTERN", { problem });
}

/**
 * A pattern of names alone that fits at least all that a path pattern fits, for an engine that can pass over other
 * files early; null when that is not certain.
 */
export function lastNamePattern(pattern: string): string | null {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  return /^[\w.*?-]+$/.test(name) && !/^\*\*+$/.test(name) && !pattern.includes("{") ? name : null;
}

/** Whether a folder may hold a path that fits: its names are the first ones of the pattern, as far as these have no signs. */
export function folderFilter(pattern: string): PathFilter {
  const names = pattern.replace(/^(?:\.\/)+/, "").split("/");
  const isDeep = pattern.includes("**") || /[,{]/.test(pattern);
  const isPlain = (name: string) => /^[\w.-]+$/.test(name);
  return (folder) => {
    const parts = folder.split("/");
    if (!isDeep && parts.length >= names.length) return false;
    return isDeep || parts.every((part, at) => !isPlain(names[at]!) || names[at] === part);
  };
}
