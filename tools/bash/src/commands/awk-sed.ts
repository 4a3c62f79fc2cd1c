import type { ShellWord } from "../script/words.ts";

/** Matches functions and operators by which awk runs a program or opens a file. */
const awkEffects = /\bsystem\b|\bgetline\b|\bclose\b|\bfflush\b|@|(?<!\|)\|(?!\|)/;

/** Matches words after which `/` begins a regular expression, although they look like an operand. */
const awkKeyword = /\b(?:print|printf|return|in|case|do|else|delete|exit|getline|while)\s*$/;

/**
 * Whether an awk program has no function or operator by which it could run a program or open a file. `>` redirects output if it
 * is in an action and outside of parentheses; elsewhere it compares. A program that cannot be read is not harmless.
 */
function isHarmlessAwk(program: string): boolean {
  const code = withoutLiterals(program.replaceAll("\\\n", ""));
  if (code === null || awkEffects.test(code)) return false;
  let braces = 0;
  let parentheses = 0;
  for (const sign of code) {
    if (sign === "{") braces++;
    if (sign === "}") braces--;
    if (sign === "(") parentheses++;
    if (sign === ")") parentheses--;
    if (sign === ">" && braces > 0 && parentheses <= 0) return false;
  }
  return braces === 0 && parentheses === 0;
}

/** Returns the program without its texts, regular expressions and comments; null if one of them has no end. */
function withoutLiterals(program: string): string | null {
  let code = "";
  for (let at = 0; at < program.length; at++) {
    const sign = program[at]!;
    if (sign === "#") {
      const end = program.indexOf("\n", at);
      at = end === -1 ? program.length : end - 1;
    } else if (sign === '"' || (sign === "/" && startsPattern(code))) {
      if (sign === "/" && awkKeyword.test(code)) return null;
      const end = endOfLiteral(program, at, sign);
      if (end === null) return null;
      code += sign === '"' ? '""' : "0";
      at = end;
    } else code += sign;
  }
  return code;
}

/** Whether `/` begins a regular expression. After an operand, it divides. */
function startsPattern(code: string): boolean {
  return !/[\w)\]$"]\s*$/.test(code) || awkKeyword.test(code);
}

function endOfLiteral(program: string, start: number, quote: string): number | null {
  for (let at = start + 1; at < program.length; at++) {
    if (program[at] === "\\") at++;
    else if (program[at] === "\n") return null;
    // A bracket expression may contain the quote, and implementations of awk differ about that.
    else if (quote === "/" && program[at] === "[") return null;
    else if (program[at] === quote) return at;
  }
  return null;
}

/** Whether an awk command has only known options, and a harmless program in the command line. */
export function isHarmlessAwkCommand(words: readonly ShellWord[]): boolean {
  const program = programAfter(words, { valued: "Fv", flags: "bcCgMNOPrstS", long: ["--csv", "--posix"] });
  return program !== null && program.every(isHarmlessAwk);
}

/** The parts of a sed command that only prints, changes or deletes lines: an address, and a substitution. */
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/I?)`;
const substitute = String.raw`s(?:/(?:\\[^\n]|[^/\\\n])*/(?:\\[^\n]|[^/\\\n])*/|\|(?:\\[^\n]|[^|\\\n])*\|(?:\\[^\n]|[^|\\\n])*\||#(?:\\[^\n]|[^#\\\n])*#(?:\\[^\n]|[^#\\\n])*#|,(?:\\[^\n]|[^,\\\n])*,(?:\\[^\n]|[^,\\\n])*,)[gpiI0-9]*`;
const harmlessSed = new RegExp(
  String.raw`^\s*(?:${address}(?:\s*,\s*(?:[+~]?${address}))?\s*!?\s*)?(?:${substitute}|y/[^/\\\n]*/[^/\\\n]*/|[dDpPgGhHnNxq=l]|)\s*$`,
);

/** Whether a sed command has only known options, and its scripts only commands that `harmlessSed` matches. */
export function isHarmlessSedCommand(words: readonly ShellWord[]): boolean {
  const scripts = programAfter(words, {
    valued: "l",
    flags: "nErsuzib",
    codes: "e",
    long: [
      "--quiet",
      "--silent",
      "--regexp-extended",
      "--null-data",
      "--separate",
      "--unbuffered",
      "--in-place",
      "--posix",
      "--sandbox",
    ],
    codeLong: "--expression",
  });
  return (
    scripts !== null &&
    scripts.every((script) => script.split(/[;\n]/).every((piece) => harmlessSed.test(piece)))
  );
}

interface OwnOptions {
  readonly valued: string;
  readonly flags: string;
  readonly long: readonly string[];
  /** Letters whose value is a program. */
  readonly codes?: string;
  readonly codeLong?: string;
}

/** Returns the programs in the arguments; null if they are not known. */
function programAfter(words: readonly ShellWord[], options: OwnOptions): readonly string[] | null {
  const programs: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const { value } = words[at]!;
    if (value === null) return null;
    if (!value.startsWith("-") || value === "-" || value === "--")
      return programs.length > 0 ? programs : operand(words, value === "--" ? at + 1 : at);
    const took = takeOption(value, words[at + 1], options, programs);
    if (took === null) return null;
    at += took;
  }
  return programs.length > 0 ? programs : null;
}

function operand(words: readonly ShellWord[], at: number): readonly string[] | null {
  const value = words[at]?.value ?? null;
  return value === null ? null : [value];
}

/** Returns how many further words an option takes; null for an unknown option. Adds programs to `programs`. */
function takeOption(
  value: string,
  next: ShellWord | undefined,
  { valued, flags, long, codes = "", codeLong }: OwnOptions,
  programs: string[],
): number | null {
  if (value.startsWith("--")) {
    const [option] = value.split("=");
    if (codeLong !== undefined && value.startsWith(`${codeLong}=`))
      programs.push(value.slice(codeLong.length + 1));
    else if (!long.includes(option!)) return null;
    return 0;
  }
  for (const [index, letter] of value.slice(1).split("").entries()) {
    const attached = value.slice(index + 2);
    if (codes.includes(letter)) {
      const program = attached === "" ? (next?.value ?? null) : attached;
      if (program === null) return null;
      programs.push(program);
      return attached === "" ? 1 : 0;
    }
    if (valued.includes(letter)) return attached === "" ? 1 : 0;
    if (!flags.includes(letter)) return null;
    if (letter === "i") return 0; // the rest of the word is the suffix of the backup
  }
  return 0;
}
