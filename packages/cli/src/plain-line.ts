import type { ExitCode } from "./process/exit-codes.ts";
import { shareZod } from "./process/share-zod.ts";
import type { Shell } from "./process/shell.ts";

/** A command line without options except `--json`. */
interface PlainLine {
  readonly command: keyof typeof plainCommands;
  readonly words: readonly string[];
  readonly options: PlainOptions;
}

interface PlainOptions {
  readonly json?: true;
}

interface PlainCommand {
  /** Most words after the name. */
  readonly most: number;
  readonly run: (words: readonly string[], options: PlainOptions, shell: Shell) => Promise<ExitCode>;
}

/** The commands whose plain lines are run without the library of command lines, which takes longer to load than they need. */
const plainCommands = {
  list: {
    most: 1,
    run: async ([plan], options, shell) =>
      (await import("./commands/plan/list.ts")).list(plan, options, shell),
  },
  call: {
    most: Infinity,
    run: async (words, options, shell) => {
      shareZod();
      const { callWords } = await import("./commands/calls/call.ts");
      return callWords(words, options, shell);
    },
  },
} satisfies Readonly<Record<string, PlainCommand>>;

/** Reads `list [plan]` or `call [plan] <tool> [arguments]`, with or without `--json`; null for every other line. */
export function readPlainLine([command = "", ...rest]: readonly string[]): PlainLine | null {
  if (!isPlain(command)) return null;
  const words = rest.filter((word) => word !== "--json");
  const isUnusual = words.some((word) => word === "" || (word.startsWith("-") && word !== "-"));
  if (isUnusual || words.length > plainCommands[command].most) return null;
  return { command, words, options: words.length < rest.length ? { json: true } : {} };
}

function isPlain(command: string): command is keyof typeof plainCommands {
  return Object.hasOwn(plainCommands, command);
}

/** Runs a plain line, and answers whether it was one. Every other line is left to the whole program. */
export async function runPlainLine(line: readonly string[], shell: Shell): Promise<boolean> {
  const plain = readPlainLine(line);
  if (plain === null) return false;
  const { command, words, options } = plain;
  try {
    shell.end(await plainCommands[command].run(words, options, shell));
  } catch (error) {
    const { reportFailure } = await import("./render/failure.ts");
    shell.end(reportFailure(error, shell, options.json === true));
  }
  return true;
}
