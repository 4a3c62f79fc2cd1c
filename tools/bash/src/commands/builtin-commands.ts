import { isTameArithmetic } from "../script/arithmetic.ts";
import { noteUnclear, note, type Inspection } from "../script/inspection.ts";
import { isPowerful } from "./variable-names.ts";
import type { ShellWord } from "../script/words.ts";

type Judge = (words: readonly ShellWord[], inspection: Inspection, name: string) => void;

/** Judges a builtin command of the shell. */
export function judgeBuiltin(name: string, words: readonly ShellWord[], inspection: Inspection): void {
  judges.get(name)?.(words.slice(1), inspection, name);
}

/** Judges `eval`, which joins its words and runs the result. */
const evaluate: Judge = (words, inspection) => {
  inspection.plain = false;
  const operands = words[0]?.value === "--" ? words.slice(1) : words;
  const known = operands.flatMap(({ value }) => (value === null ? [] : [value]));
  if (known.length < operands.length) return noteUnclear(inspection, `what "eval" runs is not known`);
  inspection.inspectScript(known.join(" "));
};

const trap: Judge = (words, inspection) => {
  const operands = words.filter(({ value }) => value !== "--");
  const [action] = operands;
  if (operands.length < 2 || action!.value === "-") return;
  if (action!.value === null) return noteUnclear(inspection, `what "trap" runs is not known`);
  if (!/^-[lp]$/.test(action!.value)) inspection.inspectScript(action!.value);
};

const enterFolder: Judge = (words, inspection, name) => {
  const [target] = words.filter(({ value }) => value === "-" || value === null || !value.startsWith("-"));
  if (name !== "cd" && (target === undefined || /^[+-]\d*$/.test(target.value ?? ""))) {
    inspection.folders.enter(undefined, true);
    return;
  }
  if (inspection.folders.enter(target, inspection.loops > 0) !== "outside") return;
  note(
    inspection,
    "outside",
    `"${name}" leaves the folders that may be written`,
    "stay below the working folder",
  );
};

const leaveFolder: Judge = (_words, inspection) => void inspection.folders.enter(undefined, true);

/** Judges names of variables that are set, or whose subscripts are evaluated. */
const setNames: Judge = (words, inspection, name) => {
  for (const { value, prefix } of words) {
    const text = value ?? prefix;
    if (/^[-+]/.test(text)) {
      if (/^[-+][a-zA-Z]*[inC]/.test(text) && name !== "read" && name !== "export" && name !== "readonly")
        noteUnclear(inspection, `"${name} ${text}" gives variables a meaning of their own`);
      continue;
    }
    const variable = /^[^=+]*/.exec(text)![0];
    if (isPowerful(variable)) noteUnclear(inspection, `setting ${variable} may change what programs run`);
    if (value === null && variable === prefix)
      noteUnclear(inspection, `the name that "${name}" sets is not known`);
    if (/[[$`]/.test(variable)) noteUnclear(inspection, `what ${variable} evaluates to may run a command`);
  }
};

const printf: Judge = (words, inspection, name) => {
  const at = words.findIndex(({ value, prefix }) => (value ?? prefix).startsWith("-v"));
  if (at === 0) setNames(words[0]!.value === "-v" ? words.slice(1, 2) : [], inspection, name);
};

/** Judges `wait`, which sets a variable if it has the option `-p`. */
const wait: Judge = (words, inspection, name) => {
  const at = words.findIndex(({ value, prefix }) => /^-[a-z]*p/.test(value ?? prefix));
  if (at !== -1) setNames(words.slice(at + 1, at + 2), inspection, name);
  if (at !== -1 && words[at]!.value?.endsWith("p") !== true)
    noteUnclear(inspection, `the name that "${name}" sets is not known`);
};

const evaluateArithmetic: Judge = (words, inspection, name) => {
  for (const { value } of words)
    if (value === null || !isTameArithmetic(value, inspection.untrusted))
      noteUnclear(inspection, `what "${name}" evaluates may run a command`);
};

const testVariable: Judge = (words, inspection, name) => {
  words.forEach(({ value }, at) => {
    const operand = words[at + 1];
    if (value === "-v" && operand !== undefined && !/^\w+$/.test(operand.value ?? ""))
      noteUnclear(inspection, `what "${name} -v" evaluates may run a command`);
  });
};

/** Matches settings of `shopt` that do not change what commands mean. */
const harmlessShopt =
  /^(-[suqp]+|nullglob|globstar|dotglob|failglob|nocaseglob|nocasematch|pipefail|lastpipe|inherit_errexit)$/;

const setOptions: Judge = (words, inspection, name) => {
  const odd = words.find(({ value }) => value === null || !harmlessShopt.test(value));
  if (odd !== undefined) noteUnclear(inspection, `"${name} ${odd.text}" may change what commands mean`);
};

const lookup: Judge = (words, inspection, name) => {
  if (words.some(({ value }) => /^-[a-zA-Z]*[pfCFW]/.test(value ?? "-p")))
    noteUnclear(inspection, `"${name}" with such options changes what commands mean, or runs one`);
};

/** Judges `history`. Only a plain number is accepted, because options can read or write a file, or change the list of commands. */
const writeHistory: Judge = (words, inspection) => {
  if (words.some(({ value }) => !/^\d+$/.test(value ?? "")))
    noteUnclear(inspection, `"history" with options reads or writes a file`);
};

const always: Judge = (_words, inspection, name) => {
  noteUnclear(inspection, `"${name}" may change what the commands after it mean`);
};

const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>(
  Object.entries({
    eval: evaluate,
    trap,
    cd: enterFolder,
    pushd: enterFolder,
    popd: leaveFolder,
    export: setNames,
    declare: setNames,
    typeset: setNames,
    local: setNames,
    readonly: setNames,
    read: setNames,
    mapfile: setNames,
    readarray: setNames,
    unset: setNames,
    getopts: (words, inspection, name) => setNames(words.slice(1, 2), inspection, name),
    printf,
    wait,
    let: evaluateArithmetic,
    test: testVariable,
    "[": testVariable,
    shopt: setOptions,
    hash: lookup,
    complete: lookup,
    compgen: lookup,
    bind: always,
    enable: always,
    source: always,
    ".": always,
    alias: always,
    fc: always,
    history: writeHistory,
  } satisfies Record<string, Judge>),
);
