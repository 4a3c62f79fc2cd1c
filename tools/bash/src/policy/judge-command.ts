import type { Command, CommandArgument, HereDoc, HereString, Redirection } from "unbash";
import { judgeBlocked } from "../commands/destructive-commands.ts";
import { judgeBuiltin } from "../commands/builtin-commands.ts";
import { note, noteUnclear, type Inspection } from "../script/inspection.ts";
import { isInterpreter, judgeInterpreter } from "../commands/interpreters.ts";
import { isPowerful } from "../commands/variable-names.ts";
import { judgeOptions } from "../commands/options.ts";
import { commandName, covers, forbids } from "../script/command-patterns.ts";
import { isShell, sourceOf, type Dialect } from "../commands/shells.ts";
import { readAssignment, readWord, type ShellWord } from "../script/words.ts";
import { commandsOfFind, isWrapper, runners, unwrap } from "../commands/wrappers.ts";
import { writtenWords } from "../commands/written-paths.ts";
import { coreutilsOptions } from "../commands/coreutils-options.ts";
import { optionTable } from "../commands/option-table.ts";

/** Judges a simple command of the syntax tree. */
export function judgeCommand(node: Command, inspection: Inspection): void {
  if (node.prefix.some(({ type }) => type === "Assignment")) inspection.plain = false;
  if (node.name === undefined) return;
  const words = [readWord(node.name), ...node.args.map(readArgument)];
  judgeInvocation(words, inspection, node.redirects);
}

function readArgument(argument: CommandArgument): ShellWord {
  return argument.type === "Word" ? readWord(argument) : readAssignment(argument);
}

/** Judges a command that is given as words, and the commands that it runs. */
function judgeInvocation(
  words: readonly ShellWord[],
  inspection: Inspection,
  redirections: readonly Redirection[] = [],
): void {
  inspection.invocations.push(words);
  const [first] = words;
  if (first!.value === null)
    return noteUnclear(inspection, `the name of the command ${first!.text} is put together when it runs`);
  const name = commandName(first!);
  if (!/^[\x21-\x7e]+$/.test(name) || name.startsWith("-"))
    return noteUnclear(inspection, `"${name}" is no usual name of a command`);
  judgeRules(words, inspection);
  judgeKnown(name, words, inspection);
  judgeBuiltin(name, words, inspection);
  judgeDeeds(name, words, inspection);
  judgeInner(name, words, inspection, redirections);
}

/** Notes a command that the policy does not know, because it may do anything. So may a program that is given by a path. */
function judgeKnown(name: string, words: readonly ShellWord[], inspection: Inspection): void {
  const { value, text } = words[0]!;
  if (inspection.rules.allowed.some((pattern) => covers(pattern, words))) return;
  const isPath = value!.includes("/") && !/^\/(usr\/(local\/)?)?s?bin\/[^/]+$/.test(value!);
  if (!isPath && (isKnownCommand(name) || inspection.functions.has(name))) return;
  const reason = isPath
    ? `${text} is a program of its own`
    : `"${name}" is a command that the policy does not know`;
  note(inspection, "unknown", reason, "let a person approve it, or add it to allowed_commands");
}

/** Applies the rules of the plan and of the profile. */
function judgeRules(words: readonly ShellWord[], inspection: Inspection): void {
  const { denied, lifted, home } = inspection.rules;
  for (const pattern of denied) {
    const answer = forbids(pattern, words);
    const reason = `"${pattern.source}" is forbidden here`;
    if (answer === "yes")
      note(inspection, "denied", reason, "do it without that command, or with another tool");
    if (answer === "maybe")
      noteUnclear(inspection, `whether it is "${pattern.source}" shows only when it runs`);
  }
  const blocked = judgeBlocked(words, home);
  if (blocked === null || lifted.some((pattern) => covers(pattern, words))) return;
  inspection.findings.push(blocked);
}

/** Judges what a command runs or writes because of its options and operands. */
function judgeDeeds(name: string, words: readonly ShellWord[], inspection: Inspection): void {
  const option = judgeOptions(name, words);
  if (option !== null) inspection.findings.push(option);
  const inline = judgeInterpreter(name, words);
  if (inline !== null)
    note(inspection, "option", inline, "put the program into a file, or let a person approve it");
  for (const word of writtenWords(name, words)) {
    const where = inspection.folders.judge(word);
    if (where === "inside" || /^\/dev\/(null|stdout|stderr)$/.test(word.value ?? "")) continue;
    const reason =
      where === "outside"
        ? `"${name}" is given ${word.text}, which is outside the folders that may be written`
        : `where "${name}" writes is not known: ${word.text}`;
    note(inspection, "outside", reason, "write below the working folder");
  }
}

/** Judges the commands that a shell, a wrapper or `find` runs. */
function judgeInner(
  name: string,
  words: readonly ShellWord[],
  inspection: Inspection,
  redirections: readonly Redirection[],
): void {
  if (isShell(name)) return judgeShell(name, words, inspection, redirections);
  if (name === "find") return judgeFind(words, inspection);
  if (runners.has(name)) {
    judgeMentioned(words, inspection);
    return noteUnclear(inspection, `what "${name}" runs is not looked through`);
  }
  const inner = unwrap(name, words);
  if (inner === null || inner === "none") return;
  if (inner === "unclear")
    return noteUnclear(inspection, `what "${name}" runs is not clear from its options`);
  judgeSetByEnv(name, words, inspection);
  judgeInvocation(inner, inspection, redirections);
}

function judgeSetByEnv(name: string, words: readonly ShellWord[], inspection: Inspection): void {
  if (name !== "env") return;
  for (const { prefix } of words.slice(1)) {
    const variable = /^([^=]+)=/.exec(prefix)?.[1];
    if (variable !== undefined && isPowerful(variable))
      noteUnclear(inspection, `setting ${variable} may change what programs run`);
  }
}

function judgeFind(words: readonly ShellWord[], inspection: Inspection): void {
  const commands = commandsOfFind(words);
  if (commands === "unclear") return noteUnclear(inspection, `what "find" runs has no end`);
  for (const command of commands) {
    if (command.length === 0) noteUnclear(inspection, `"find" runs nothing that is known`);
    else judgeInvocation(command, inspection);
  }
}

/** Judges each word of a command that runs another in its own way, because any word may be the name of the other. */
function judgeMentioned(words: readonly ShellWord[], inspection: Inspection): void {
  for (const [at, word] of words.entries()) if (at > 0 && word.value !== null) judgeRules([word], inspection);
}

function judgeShell(
  name: string,
  words: readonly ShellWord[],
  inspection: Inspection,
  redirections: readonly Redirection[],
): void {
  inspection.plain = false;
  const source = sourceOf(name, words);
  switch (source.kind) {
    case "script":
      inspectAs(source.dialect, source.text, inspection);
      if (source.dialect === "other") noteUnclear(inspection, `"${name}" has a language of its own`);
      return;
    case "input":
      for (const text of redirections.flatMap(scriptIn)) inspectAs(source.dialect, text, inspection);
      return noteUnclear(inspection, `"${name}" reads its script from its input`);
    case "unclear":
      return noteUnclear(inspection, `what "${name}" runs is not known`);
    case "file": // a name without a slash is searched like a command, so `bash name` may run that program
      return judgeInvocation(source.command, inspection);
    case "nothing":
      return;
  }
}

function inspectAs(dialect: Dialect, text: string, inspection: Inspection): void {
  const outer = inspection.plainShell;
  inspection.plainShell = dialect !== "bash";
  inspection.inspectScript(text);
  inspection.plainShell = outer;
}

/** Returns the script in a here-document or here-string. */
function scriptIn(redirection: Redirection): readonly string[] {
  if (redirection.type === "HereDoc") return [bodyOf(redirection)];
  if (redirection.type === "HereString") return stringOf(redirection);
  return [];
}

function bodyOf({ body }: HereDoc): string {
  return body.text;
}

function stringOf({ target }: HereString): readonly string[] {
  const value = target === undefined ? null : readWord(target).value;
  return value === null ? [] : [value];
}

/** Further commands that the policy knows: builtins of bash, and programs that other rules judge or that need no rule. */
const others = new Set(
  `: . [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval
  exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
  readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask unalias
  unset wait false
  awk gawk mawk nawk sed gsed egrep fgrep zgrep zcat bzcat xzcat gzip gunzip bzip2 bunzip2 xz unxz zstd unzip zip 7z ar
  cpio tar patch rsync xxd hexdump strings file column col rev nm objdump readelf size ldd addr2line
  ps pgrep pstree top free uptime lsof lscpu lsblk lsmod dmesg mount ping host dig nslookup ss netstat ifconfig
  jq yq xmllint tidy pandoc
  make cmake ninja meson gcc g++ cc clang clang++ ld rustc rustfmt go gofmt cargo javac java mvn gradle dotnet swift
  npm pnpm yarn tsc eslint oxlint prettier oxfmt biome vitest jest mocha playwright turbo nx vite webpack rollup esbuild
  pip pip3 pipenv poetry uv pytest mypy ruff black flake8 isort tox bundle gem rake rspec composer phpunit
  bc cal link mktemp ptx sleep tput clear locale iconv envsubst getconf getent hostname id logger md5 shasum sha256
  setfacl getfacl chattr lsattr
  sudo su doas pkexec passwd mkfs mke2fs dd shutdown reboot halt poweroff git hg svn gh`.split(/\s+/),
);

/** Whether the policy knows what a command does, apart from its forbidden uses. */
function isKnownCommand(name: string): boolean {
  return (
    others.has(name) ||
    coreutilsOptions.has(name) ||
    optionTable.has(name) ||
    runners.has(name) ||
    isWrapper(name) ||
    isShell(name) ||
    isInterpreter(name)
  );
}
