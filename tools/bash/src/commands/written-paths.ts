import type { ShellWord } from "../script/words.ts";
import { gitSubcommands } from "./option-table.ts";

/** The operands of a command that are written, moved, created or removed. */
type Written = "all" | "last" | "second";

const writers: ReadonlyMap<string, Written> = new Map(
  Object.entries({
    touch: "all",
    mkdir: "all",
    rmdir: "all",
    rm: "all",
    unlink: "all",
    link: "all",
    mv: "all",
    tee: "all",
    truncate: "all",
    shred: "all",
    mkfifo: "all",
    mknod: "all",
    mktemp: "all",
    chmod: "all",
    chown: "all",
    chgrp: "all",
    ln: "all",
    patch: "all",
    gzip: "all",
    gunzip: "all",
    bzip2: "all",
    bunzip2: "all",
    xz: "all",
    unxz: "all",
    zstd: "all",
    setfacl: "all",
    chattr: "all",
    cp: "last",
    install: "last",
    rsync: "last",
    scp: "last",
    uniq: "second",
    xxd: "second",
    split: "second",
    ptx: "second",
  } satisfies Record<string, Written>),
);

/** Options whose value names something that is written. */
interface Targets {
  readonly short: string;
  readonly long: readonly string[];
  /** Letters of other options with a value, after which a word has no further options. */
  readonly valued: string;
}

const copyTargets: Targets = { short: "t", long: ["--target-directory"], valued: "S" };
const outputTarget: Targets = { short: "o", long: ["--output", "--out-dir"], valued: "IDLlx" };

const targets: ReadonlyMap<string, Targets> = new Map(
  Object.entries({
    cp: copyTargets,
    mv: copyTargets,
    ln: copyTargets,
    install: { ...copyTargets, valued: "Sgmo" },
    csplit: { short: "f", long: ["--prefix"], valued: "bn" },
    mktemp: { short: "p", long: ["--tmpdir"], valued: "" },
    unzip: { short: "d", long: [], valued: "xP" },
    "7z": { short: "o", long: [], valued: "" },
    cpio: { short: "DFO", long: ["--directory", "--file"], valued: "CEHIMR" },
    gcc: outputTarget,
    "g++": outputTarget,
    cc: outputTarget,
    clang: outputTarget,
    rustc: outputTarget,
    go: outputTarget,
    ld: outputTarget,
  }),
);

/** Returns the words of a command that name what it writes, as far as the command is known. */
export function writtenWords(name: string, command: readonly ShellWord[]): readonly ShellWord[] {
  const operands = operandsOf(command);
  const valuesOfTargets = targetsOf(targets.get(name), command);
  switch (writers.get(name)) {
    case "all":
      return [...operands, ...valuesOfTargets];
    case "last":
      if (name === "install" && makesFolders(command)) return operands;
      return [...operands.slice(-1), ...valuesOfTargets, ...unknownOptions(command)];
    case "second":
      return operands.slice(1, 2);
    case undefined:
    default:
      return [...valuesOfTargets, ...ownWrites(name, command)];
  }
}

/** Whether `install` creates each operand as a folder. */
function makesFolders(command: readonly ShellWord[]): boolean {
  return command.some(({ value, prefix }) => /^(-[A-Za-z]*d|--d)/.test(value ?? prefix));
}

function operandsOf(command: readonly ShellWord[]): ShellWord[] {
  const end = command.findIndex(({ value }) => value === "--");
  return command
    .slice(1)
    .filter((word, at) => (end !== -1 && at + 1 > end) || !(word.value ?? word.prefix).startsWith("-"));
}

/** Returns words such as `$x` that may become an option with a target. Patterns are left out, because they give file names. */
function unknownOptions(command: readonly ShellWord[]): ShellWord[] {
  return command
    .slice(1, -1)
    .filter(({ value, prefix, pattern }) => value === null && prefix === "" && !pattern);
}

/** Returns the values of the options in `rule`: `-oFILE`, `-o FILE`, `--output FILE`, `--output=FILE` and `--out=FILE`. */
function targetsOf(rule: Targets | undefined, command: readonly ShellWord[]): ShellWord[] {
  if (rule === undefined) return [];
  return command.flatMap((word, at) => {
    const value = word.value ?? word.prefix;
    if (at === 0 || !value.startsWith("-")) return [];
    const attachedFrom = value.startsWith("--") ? afterLong(rule, value) : afterShort(rule, value);
    if (attachedFrom === null) return [];
    if (attachedFrom < value.length || word.value === null) return [without(word, attachedFrom)];
    return command[at + 1] === undefined ? [] : [command[at + 1]!];
  });
}

/** Returns where the value of a long target option begins in its word; the length of the word if the value is the next word. */
function afterLong({ long }: Targets, value: string): number | null {
  const equals = value.indexOf("=");
  const option = equals === -1 ? value : value.slice(0, equals);
  if (option.length < 3 || !long.some((each) => each.startsWith(option))) return null;
  return equals === -1 ? value.length : equals + 1;
}

function afterShort({ short, valued }: Targets, value: string): number | null {
  for (let at = 1; at < value.length; at++) {
    if (short.includes(value[at]!)) return at + 1;
    if (valued.includes(value[at]!)) return null;
  }
  return null;
}

/** Returns the part of a word from a position on. */
function without(word: ShellWord, from: number): ShellWord {
  const value = word.value?.slice(from) ?? null;
  return { ...word, value, prefix: word.prefix.slice(from), text: word.text.slice(from) };
}

function ownWrites(name: string, command: readonly ShellWord[]): readonly ShellWord[] {
  if (name === "dd")
    return command.filter(({ prefix }) => prefix.startsWith("of=")).map((word) => without(word, 3));
  if (/^g?sed$/.test(name)) return writtenBySed(command);
  if (name === "tar") return writtenByTar(command);
  if (name === "zip" || name === "ar") return operandsOf(command).slice(0, name === "ar" ? 2 : 1);
  return name === "git" ? writtenByGit(command) : [];
}

/** Returns the files that sed writes with `-i`. The first operand is the script, unless an option has the script. */
function writtenBySed(command: readonly ShellWord[]): readonly ShellWord[] {
  const values = command.map(({ value, prefix }) => value ?? prefix);
  if (!values.some((value) => /^(-[nErsuz]*i|--i)/.test(value))) return [];
  const hasScript = values.some((value) => /^(-[nErsuzi]*[ef]|--(e|fi))/.test(value));
  return operandsOf(command).slice(hasScript ? 0 : 1);
}

/** Letters of tar's options that take a value. */
const tarValued = "fCbTXKNVLgHIF";

/** Returns the folder to which tar extracts, and the archive that it writes. Its first word may have options without a dash. */
function writtenByTar(command: readonly ShellWord[]): readonly ShellWord[] {
  const values = tarValues(command);
  const letters = command.map(({ value }, at) =>
    (at === 1 && value?.startsWith("--") !== true) || /^-[^-]/.test(value ?? "") ? (value ?? "") : "",
  );
  const isWritten =
    /[cruA]/.test(letters.join("")) ||
    command.some(({ value }) => /^--(c|ap|r|u|conc|cat|del)/.test(value ?? ""));
  return values
    .filter(({ letter }) => letter === "C" || (letter === "f" && isWritten))
    .map(({ word }) => word);
}

function tarValues(command: readonly ShellWord[]): { letter: string; word: ShellWord }[] {
  const found: { letter: string; word: ShellWord }[] = [];
  const add = (letter: string, word: ShellWord | undefined) => {
    if (word !== undefined) found.push({ letter, word });
  };
  for (const [at, word] of command.entries()) {
    const value = word.value ?? word.prefix;
    if (at === 0) continue;
    if (value.startsWith("--")) {
      const equals = value.indexOf("=");
      const option = equals === -1 ? value : value.slice(0, equals);
      const next = equals === -1 ? command[at + 1] : without(word, equals + 1);
      if (option.length > 3 && "--directory".startsWith(option)) add("C", next);
      if (option.length > 3 && "--file".startsWith(option)) add("f", next);
    } else if (value.startsWith("-")) addBundle(value, word, command[at + 1], add);
    else if (at === 1) {
      let next = at + 1;
      for (const letter of value) if (tarValued.includes(letter)) add(letter, command[next++]);
    }
  }
  return found;
}

function addBundle(
  value: string,
  word: ShellWord,
  next: ShellWord | undefined,
  add: (letter: string, word: ShellWord | undefined) => void,
): void {
  for (let at = 1; at < value.length; at++) {
    if (!tarValued.includes(value[at]!)) continue;
    add(value[at]!, at + 1 < value.length ? without(word, at + 1) : next);
    return;
  }
}

/** Returns the operands that name what a git command writes. */
function writtenByGit(command: readonly ShellWord[]): readonly ShellWord[] {
  const at = command.findIndex(({ value }) => value !== null && gitSubcommands.has(value));
  const operands = operandsOf(command.slice(Math.max(0, at)));
  const subcommand = command[at]?.value ?? "";
  switch (subcommand) {
    case "clone":
      return operands.slice(1);
    case "init":
      return operands;
    case "bundle":
    case "worktree":
      return operands.filter(({ value }) => value === null || /[/.~]/.test(value));
    default:
      return [];
  }
}
