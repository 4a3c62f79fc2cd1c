import type { ShellWord } from "../script/words.ts";

/** Which operands of a command are written to, moved, made or removed. */
type Written = "all" | "last" | "second";

const writers: ReadonlyMap<string, Written> = new Map(
  Object.entries({
    touch: "all",
    mkdir: "all",
    rmdir: "all",
    rm: "all",
    unlink: "all",
    mv: "all",
    tee: "all",
    truncate: "all",
    shred: "all",
    mkfifo: "all",
    mknod: "all",
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
  } satisfies Record<string, Written>),
);

/** Options whose value is a folder that is written to. */
const targetOptions = /^(?:-t|--target-directory|-C|--directory|-d|-P|-o|--output|--output-dir)$/;
const targetTakers = new Set([
  "cp",
  "mv",
  "install",
  "ln",
  "tar",
  "unzip",
  "7z",
  "ar",
  "cpio",
  "gcc",
  "cc",
  "go",
]);

/** The words of a command that name what it writes, as far as the command is known. */
export function writtenWords(name: string, command: readonly ShellWord[]): readonly ShellWord[] {
  const operands = operandsOf(command);
  const targets = targetTakers.has(name) ? targetsOf(command) : [];
  const written = writers.get(name);
  if (written === "all") return [...operands, ...targets];
  if (written === "last") return [...operands.slice(-1), ...targets];
  if (written === "second") return operands.slice(1, 2);
  return [...targets, ...ownWrites(name, command)];
}

function operandsOf(command: readonly ShellWord[]): ShellWord[] {
  const end = command.findIndex(({ value }) => value === "--");
  return command
    .slice(1)
    .filter((word, at) => (end !== -1 && at + 1 > end) || !(word.value ?? word.prefix).startsWith("-"));
}

function targetsOf(command: readonly ShellWord[]): ShellWord[] {
  return command.flatMap((word, at) => {
    const value = word.value ?? word.prefix;
    const next = command[at + 1];
    if (targetOptions.test(value) && next !== undefined) return [next];
    const attached = /^(--target-directory=|--directory=|-t(?=[/~.])|-C(?=[/~.]))/.exec(value)?.[0];
    return attached === undefined ? [] : [without(word, attached)];
  });
}

/** The value of an option in the same word. */
function without(word: ShellWord, head: string): ShellWord {
  const value = word.value?.slice(head.length) ?? null;
  return { ...word, value, prefix: word.prefix.slice(head.length), text: word.text.slice(head.length) };
}

function ownWrites(name: string, command: readonly ShellWord[]): ShellWord[] {
  if (name === "dd")
    return command.filter(({ prefix }) => prefix.startsWith("of=")).map((word) => without(word, "of="));
  if (/^g?sed$/.test(name) && command.some(({ value }) => /^(-[nErsuz]*i|--in-place)/.test(value ?? "")))
    return operandsOf(command).slice(1);
  return [];
}
