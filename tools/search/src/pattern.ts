import { RE2JS } from "re2js";
import { Refusal } from "./refusal.ts";

/** Whether a path matches. Paths are relative, with `/` between names. */
export type PathFilter = (path: string) => boolean;

/** Longest pattern in characters, and deepest nesting of braces. */
export const maxPatternLength = 1000;
const maxDepth = 10;

/**
 * Compiles a path pattern, or several separated by commas: `*` and `?` within a name, `**` for any number of folders, `[a-z]`
 * and `[!a-z]`, `{a,b}`, and `\` before a literal character. The whole path must match. The time is proportional to the length
 * of the path, for any pattern. Throws a refusal with `INVALID_PATTERN`.
 */
export function compilePattern(pattern: string): PathFilter {
  return compile(pattern, pattern);
}

/**
 * Compiles one pattern, or several separated by commas; a name that contains a comma matches, too. `given` is named in
 * messages.
 */
function compile(pattern: string, given: string, anchored = (each: string) => each): PathFilter {
  const parts = listOf(pattern);
  const all = (parts.length > 1 ? [pattern, ...parts] : [pattern]).map((each) =>
    compileOne(anchored(each), given),
  );
  return (path) => all.some((fits) => fits(path));
}

/** Splits a list of patterns at the commas outside of braces and brackets. */
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

/** Compiles like {@link compilePattern}, but a pattern without `/` matches a name in any folder, and `!` before it excludes. */
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

/** Compiles a pattern so that it matches what it names, and everything below folders that it names. */
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

/** Returns the regular expression for the characters at a position, and how many characters these are. */
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

/** Reads `[abc]`, `[a-z]` or `[!abc]`; none of them matches `/`. */
function setAt(rest: string, pattern: string): [string, number] {
  const found = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
  if (found === null) throw invalid(pattern, "a [ is not closed");
  const [all, turned, members = ""] = found;
  const escaped = members.replaceAll(/[\\[\]^&~|]/g, String.raw`\$&`);
  const set = turned === "" ? `[${escaped}]` : `[^/${escaped}]`;
  // Folders of routes are named like `[id]`, so a set that is a plain word also matches itself.
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
 * Returns a pattern of names that matches at least everything that a path pattern matches, so that the engine can skip other
 * files early; null if that is not certain.
 */
export function lastNamePattern(pattern: string): string | null {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  return /^[\w.*?-]+$/.test(name) && !/^\*\*+$/.test(name) && !pattern.includes("{") ? name : null;
}

/**
 * Returns a filter for folders that may contain a matching path: their names must equal the pattern's first names where those
 * are plain. It accepts every folder if the pattern has `**`, `,` or `{`.
 */
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
