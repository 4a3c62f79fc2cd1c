import { isHarmlessAwkCommand, isHarmlessSedCommand } from "./awk-sed.ts";
import type { ShellWord } from "../script/words.ts";

/** How an interpreter gets the program that it runs. */
interface Interpreter {
  /** Letters of short options whose value is a program, or that load one. */
  readonly code: string;
  readonly long?: readonly string[];
  /** Subcommands that take a program. */
  readonly words?: readonly string[];
  /** Options that only print information, so that no program is read from the input. */
  readonly telling?: readonly string[];
}

const telling = ["--version", "-V", "-v", "--help", "-h"];

const python: Interpreter = { code: "c", telling };
const node: Interpreter = {
  code: "epri",
  long: ["--eval", "--print", "--require", "--import", "--loader", "--experimental-loader", "--interactive"],
  telling,
};

/** Interpreters by name, without version numbers at the end. */
const interpreters: ReadonlyMap<string, Interpreter> = new Map(
  Object.entries({
    node,
    nodejs: node,
    bun: {
      code: "epr",
      long: ["--eval", "--print", "--preload", "--require"],
      words: ["x", "exec"],
      telling,
    },
    deno: { code: "", words: ["eval", "repl"], telling },
    tsx: node,
    "ts-node": node,
    python,
    pypy: python,
    perl: { code: "eEMmI", telling: ["--version", "-v", "--help"] },
    ruby: { code: "erI", telling },
    irb: { code: "erI", telling },
    php: { code: "rBRESF", telling },
    lua: { code: "el", telling: ["-v"] },
    luajit: { code: "elb", telling: ["-v"] },
    tclsh: { code: "" },
    wish: { code: "" },
    guile: { code: "cel", telling: ["--version", "--help"] },
    R: { code: "ef", telling: ["--version", "--help"] },
    Rscript: { code: "e", telling: ["--version", "--help"] },
    julia: { code: "eEL", long: ["--eval", "--print", "--load"], telling },
    ghci: { code: "e" },
    jshell: { code: "" },
    elixir: { code: "er", long: ["--eval", "--rpc-eval"], telling },
    erl: { code: "", words: ["-eval", "-run", "-s"] },
    groovy: { code: "e", telling },
    scala: { code: "e", telling },
    psysh: { code: "" },
  }),
);

/** Whether a command runs programs in its own language. Version numbers at the end of its name are ignored. */
export function isInterpreter(name: string): boolean {
  return interpreters.has(name) || interpreters.has(name.replace(/[\d.]+$/, ""));
}

/** Returns why an interpreter's program is not known: it is in an option or comes from the input. Null if it is in a file. */
export function judgeInterpreter(name: string, command: readonly ShellWord[]): string | null {
  const rest = command.slice(1);
  if (/^[gmn]?awk$/.test(name))
    return isHarmlessAwkCommand(rest) ? null : `the program of "${name}" may run or write something`;
  if (/^g?sed$/.test(name))
    return isHarmlessSedCommand(rest) ? null : `the script of "${name}" may run or write something`;
  const interpreter = interpreters.get(name) ?? interpreters.get(name.replace(/[\d.]+$/, ""));
  return interpreter === undefined ? null : judgeWords(name, interpreter, rest);
}

function judgeWords(name: string, interpreter: Interpreter, words: readonly ShellWord[]): string | null {
  const { code, long = [], telling: harmless = [], words: subcommands = [] } = interpreter;
  for (const { value, prefix, text } of words) {
    if (value === "-") break;
    if (value === null && (prefix === "" || prefix.startsWith("-")))
      return `what "${name}" runs is not known: ${text}`;
    const known = value ?? prefix;
    if (subcommands.includes(known)) return `"${name} ${known}" runs a program given in the command`;
    if (!known.startsWith("-")) return null;
    if (harmless.includes(known)) return null;
    if (known.startsWith("--") ? long.includes(known.split("=")[0]!) : hasLetter(known, code))
      return `"${name}" with ${text} runs a program given in the command`;
    if (name.startsWith("python") && known === "-m") return null;
  }
  return `"${name}" reads its program from its input`;
}

/** Whether a word has an option letter. Even long words with one dash, such as `-version`, are checked letter by letter. */
function hasLetter(value: string, letters: string): boolean {
  return value
    .slice(1)
    .split("")
    .some((letter) => letters.includes(letter));
}
