/** Short names for commands below others. They are in no list. */
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

/** Returns the line with full names of commands: `worker` becomes `fleet work`, and `help LOCK_DRIFT` explains the code. */
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

/** Tests whether a word of a line is neither an option nor the value of `--plan`. */
export function isName(word: string, last: string | undefined): boolean {
  return !word.startsWith("-") && last !== "--plan";
}

export function namesOf(name: string): readonly string[] {
  return Object.hasOwn(shortNames, name) ? shortNames[name]! : [name];
}
