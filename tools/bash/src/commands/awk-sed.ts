import type { ShellWord } from "../script/words.ts";

/** What no awk program needs that only reads its input and prints. */
const wildAwk = /\bsystem\b|\bgetline\b|\bclose\b|\bfflush\b|@|[^|]\|[^|]|\bprintf?\b[^;}\n]*>|"\s*>|\|&/;

/** Whether awk only prints what it reads: its program stands in the command, and neither runs nor writes anything. */
export function isTameAwk(words: readonly ShellWord[]): boolean {
  const program = programAfter(words, { valued: "Fv", flags: "bcCgMNOPrstS", long: ["--csv", "--posix"] });
  return program !== null && program.every((text) => !wildAwk.test(` ${text} `));
}

/** One command of sed that only prints, changes or leaves out lines, with its addresses. */
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/I?)`;
const substitute = String.raw`s(?:/(?:\\[^\n]|[^/\\\n])*/(?:\\[^\n]|[^/\\\n])*/|\|(?:\\[^\n]|[^|\\\n])*\|(?:\\[^\n]|[^|\\\n])*\||#(?:\\[^\n]|[^#\\\n])*#(?:\\[^\n]|[^#\\\n])*#|,(?:\\[^\n]|[^,\\\n])*,(?:\\[^\n]|[^,\\\n])*,)[gpiI0-9]*`;
const tameSed = new RegExp(
  String.raw`^\s*(?:${address}(?:\s*,\s*(?:[+~]?${address}))?\s*!?\s*)?(?:${substitute}|y/[^/\\\n]*/[^/\\\n]*/|[dDpPgGhHnNxq=l]|)\s*$`,
);

/** Whether every command of the sed scripts is one that neither runs nor writes anything. */
export function isTameSed(words: readonly ShellWord[]): boolean {
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
    scripts !== null && scripts.every((script) => script.split(/[;\n]/).every((piece) => tameSed.test(piece)))
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

/** The programs in the arguments; null when they cannot be told. */
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

/** How many further words an option takes; null when it is not known. */
function takeOption(
  value: string,
  next: ShellWord | undefined,
  { valued, flags, long, codes = "", codeLong }: OwnOptions,
  programs: string[],
): number | null {
  if (value.startsWith("--")) {
    const [option] = value.split("=", 1);
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
    if (letter === "i") return 0; // what follows is the suffix of the copy
  }
  return 0;
}
