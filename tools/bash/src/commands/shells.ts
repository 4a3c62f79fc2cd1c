import type { ShellWord } from "../script/words.ts";

/** The language that a shell reads: that of bash, which the parser reads, that of POSIX, or another. */
export type Dialect = "bash" | "plain" | "other";

const bashes = new Set(["bash", "rbash"]);
const plainOnes = new Set(["sh", "dash", "ash"]);
const others = new Set([
  "zsh",
  "ksh",
  "ksh93",
  "mksh",
  "yash",
  "fish",
  "csh",
  "tcsh",
  "rc",
  "es",
  "elvish",
  "nu",
  "xonsh",
]);

export function isShell(name: string): boolean {
  return bashes.has(name) || plainOnes.has(name) || others.has(name);
}

/** Where a shell gets what it runs. */
type ShellSource =
  | { readonly kind: "script"; readonly text: string; readonly dialect: Dialect }
  | { readonly kind: "file"; readonly command: readonly ShellWord[] }
  | { readonly kind: "input"; readonly dialect: Dialect }
  | { readonly kind: "nothing" }
  | { readonly kind: "unclear" };

const longFlags = new Set([
  "--login",
  "--norc",
  "--noprofile",
  "--posix",
  "--restricted",
  "--verbose",
  "--noediting",
]);
const telling = new Set(["--version", "--help", "--dump-strings", "--dump-po-strings"]);

/** Finds what a shell runs: the text after `-c`, a file, or its input. */
export function sourceOf(name: string, command: readonly ShellWord[]): ShellSource {
  const dialect = bashes.has(name) ? "bash" : plainOnes.has(name) ? "plain" : "other";
  let wantsScript = false;
  let readsInput = false;
  let at = 1;
  for (; at < command.length; at++) {
    const { value } = command[at]!;
    if (value === null) return { kind: "unclear" };
    if (value === "--" || value === "-") {
      at++;
      break;
    }
    if (!/^[-+]/.test(value)) break;
    if (telling.has(value)) return { kind: "nothing" };
    if (value.startsWith("--") ? !longFlags.has(value) : !/^[-+][abcefhkmnptuvxlsoOCEHPT]+$/.test(value))
      return { kind: "unclear" };
    if (value.startsWith("--")) continue;
    if (value.startsWith("-") && value.includes("c")) wantsScript = true;
    if (value.includes("s")) readsInput = true;
    if (/[oO]/.test(value)) at++;
  }
  if (readsInput && !wantsScript) return { kind: "input", dialect };
  if (command.length <= at) return wantsScript ? { kind: "unclear" } : { kind: "input", dialect };
  if (!wantsScript) return { kind: "file", command: command.slice(at) };
  const text = command[at]!.value;
  return text === null ? { kind: "unclear" } : { kind: "script", text, dialect };
}
