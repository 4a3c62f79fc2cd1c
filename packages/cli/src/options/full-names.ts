/** Short names of subcommands. The help does not show them. */
export const shortNames: Readonly<Record<string, readonly string[]>> = {
  cost: ["list", "cost"],
  schema: ["print", "schema"],
  eval: ["test", "prompts"],
  status: ["doctor", "status"],
  outdated: ["doctor", "updates"],
  models: ["doctor", "models"],
  tokens: ["serve", "tokens"],
  connect: ["guard", "connect"],
  worker: ["fleet", "work"],
  create: ["package", "create"],
  validate: ["package", "validate"],
  module: ["package"],
  manifest: ["package", "manifest"],
  publish: ["package", "publish"],
};

/**
 * Replaces short names in a command line: `worker` becomes `fleet work`. `help LOCK_DRIFT` becomes `explain LOCK_DRIFT`, and
 * `help` for a subcommand becomes `--help` after it.
 */
export function fullNames(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => isName(word, words[index - 1]));
  const [before, [first = "", ...rest]] = [words.slice(0, at), words.slice(at)];
  if (at === -1) return words;
  if (first !== "help") return [...before, ...namesOf(first), ...rest];
  const [second = "", ...more] = rest;
  if (second === "codes") return [...before, "explain", ...more];
  if (/^[A-Z][A-Z0-9_]{2,}$/.test(second)) return [...before, "explain", ...rest];
  const named = second === "" ? [] : [...namesOf(second), ...more];
  return named.length > 1 ? [...before, ...named, "--help"] : [...before, "help", ...named];
}

/** Tests whether a word is neither an option nor the value of `--plan`; `last` is the word before it. */
export function isName(word: string, last: string | undefined): boolean {
  return !word.startsWith("-") && last !== "--plan";
}

export function namesOf(name: string): readonly string[] {
  return Object.hasOwn(shortNames, name) ? shortNames[name]! : [name];
}
