import {
  forEachChild,
  parse,
  type Assignment,
  type ParameterExpansionPart,
  type Script,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { isTameArithmetic, untrustedVariables } from "../script/arithmetic.ts";
import { judgeCommand } from "./judge-command.ts";
import { note, noteUnclear, type Inspection } from "../script/inspection.ts";
import { isMeaningful, isPowerful } from "../commands/variable-names.ts";
import { judgeRedirection } from "../commands/redirections.ts";

/** How deep nested scripts, as `bash -c` makes them, are judged. */
const maxDepth = 8;

/** Parses a script and judges all of it. Scripts within it, such as the text after `-c`, are passed to this function again. */
export function inspectScript(text: string, inspection: Inspection): void {
  if (inspection.depth >= maxDepth)
    return note(inspection, "syntax", "scripts are nested too deep", "put the script into a file");
  const script = parse(text);
  const outer = inspection.untrusted;
  inspection.untrusted = new Set([...outer, ...untrustedVariables(script)]);
  if (hasRest(script, text))
    note(inspection, "syntax", "it does not parse to its end", "check quotes, brackets and keywords");
  inspection.depth++;
  walk(script, inspection);
  inspection.depth--;
  inspection.untrusted = outer;
}

/** Whether the parser, which is tolerant, left anything unread except comments and separators. */
function hasRest({ commands }: Script, text: string): boolean {
  if (text.includes("<<")) return false; // a here-document follows the last command
  const rest = text.slice(commands.at(-1)?.end ?? 0);
  return /[^\s;&]/.test(rest.replaceAll(/(?<=^|[\s;&])#.*/gm, ""));
}

/** Judges a node and all nodes below it. None is left out, however many there are. */
function walk(node: SyntaxNode, inspection: Inspection): void {
  const inLoop = opensLoop(node);
  if (inLoop) inspection.loops++;
  judgeNode(node, inspection);
  forEachChild(node, (child) => walk(child, inspection));
  if (inLoop) inspection.loops--;
}

function opensLoop({ type }: SyntaxNode): boolean {
  return (
    type === "For" || type === "While" || type === "Select" || type === "ArithmeticFor" || type === "Function"
  );
}

/** The types of nodes that plain commands consist of. */
const plainTypes: ReadonlySet<SyntaxNode["type"]> = new Set<SyntaxNode["type"]>([
  "Script",
  "Statement",
  "AndOr",
  "Pipeline",
  "Command",
  "Word",
  "Literal",
  "SingleQuoted",
  "DoubleQuoted",
  "AnsiCQuoted",
  "Glob",
  "BraceExpansion",
  "SimpleExpansion",
  "ParameterExpansion",
  "Redirect",
  "FileDescriptor",
]);

/** Types of nodes that a plain `sh` reads differently. For example, `((rm y))` is two nested subshells for it. */
const onlyBash: ReadonlySet<SyntaxNode["type"]> = new Set<SyntaxNode["type"]>([
  "ArithmeticCommand",
  "ArithmeticFor",
  "TestCommand",
  "Select",
  "Coproc",
  "Time",
  "HereString",
  "ProcessSubstitution",
  "ArrayValue",
  "AnsiCQuoted",
  "LocaleString",
  "BraceExpansion",
]);

/** The judges for each type of node. They need not look at nodes below, because these are walked anyway. */
const judges: {
  readonly [Type in SyntaxNode["type"]]?: (
    node: Extract<SyntaxNode, { type: Type }>,
    inspection: Inspection,
  ) => void;
} = {
  Script: judgeScript,
  Statement: judgeStatement,
  Command: judgeCommand,
  Redirect: judgeRedirection,
  Assignment: judgeAssignment,
  FileDescriptorVariable: ({ name }, inspection) => judgeSubscripted(name, inspection),
  For: ({ name }, inspection) => judgeName(name.value, inspection),
  Select: ({ name }, inspection) => judgeName(name.value, inspection),
  Function: judgeFunction,
  ParameterExpansion: judgeExpansion,
  ArithmeticWord: ({ value }, inspection) => judgeArithmetic(value, inspection),
  Slice: ({ offset, length }, inspection) => judgeArithmetic(offset.text + (length?.text ?? ""), inspection),
  TestUnary: ({ operator, operand }, inspection) =>
    void (operator === "-v" && judgeArithmetic(operand.text, inspection)),
  TestBinary: ({ operator, left, right }, inspection) =>
    void (
      /^-(eq|ne|lt|le|gt|ge)$/.test(operator) && judgeArithmetic(`${left.text} ${right.text}`, inspection)
    ),
  CommandExpansion: judgeInnerScript,
  ProcessSubstitution: judgeInnerScript,
  ArithmeticCommandExpansion(node, inspection) {
    judgeInnerScript(node, inspection);
    // The shell evaluates what the script prints, and evaluating a text such as `a[$(…)]` runs a command.
    noteUnclear(inspection, `what ${node.text} prints is evaluated, and may run a command`);
  },
  ExtendedGlob: ({ text }, inspection) =>
    noteUnclear(inspection, `${text} means different things to different shells`),
};

function judgeNode(node: SyntaxNode, inspection: Inspection): void {
  if (!plainTypes.has(node.type)) inspection.plain = false;
  if (inspection.plainShell && onlyBash.has(node.type))
    noteUnclear(inspection, "a plain shell reads this differently from bash");
  const judgeIt = judges[node.type] as ((node: SyntaxNode, inspection: Inspection) => void) | undefined;
  judgeIt?.(node, inspection);
}

/** Notes an inner script that the parser could not read, so that it is not judged as if it were empty. */
function judgeInnerScript({ script, text }: { script: unknown; text: string }, inspection: Inspection): void {
  if (script === undefined) noteUnclear(inspection, `${text} cannot be read`);
}

function judgeScript(
  script: Script & { errors?: readonly { message: string }[] | undefined },
  inspection: Inspection,
): void {
  const [error] = script.errors ?? [];
  if (error === undefined) return;
  note(inspection, "syntax", `it does not parse: ${error.message}`, "check quotes, brackets and keywords");
}

function judgeStatement({ background, command }: Statement, inspection: Inspection): void {
  if (background === true) inspection.plain = false;
  if (command.type === "Pipeline" && command.prefixes.length > 0) inspection.plain = false;
}

/** Judges the name of a variable that is set, because some variables change which programs run. */
function judgeName(name: string, inspection: Inspection): void {
  if (isPowerful(name)) noteUnclear(inspection, `setting ${name} may change what programs run`);
}

/** Judges an assignment. The shell evaluates the subscripts of a list, as in `a[x]=1` and `a=([x]=1)`. */
function judgeAssignment({ name, index, value }: Assignment, inspection: Inspection): void {
  judgeName(name, inspection);
  if (index !== undefined) judgeArithmetic(index.text, inspection);
  const elements = value.type === "Word" ? [] : value.elements;
  for (const { text } of elements) if (text.startsWith("[")) judgeSubscripted(text, inspection);
}

/** Judges a name that is set, together with its subscript. */
function judgeSubscripted(text: string, inspection: Inspection): void {
  const [, name, subscript] = /^([^[]*)(?:\[(.*?)(?:\]\+?=.*|\]?)$)?/s.exec(text)!;
  judgeName(name!, inspection);
  if (subscript !== undefined) judgeArithmetic(subscript, inspection);
}

function judgeFunction(node: Extract<SyntaxNode, { type: "Function" }>, inspection: Inspection): void {
  const name = node.name.value;
  inspection.functions.add(name);
  if (isMeaningful(name))
    noteUnclear(inspection, `a function named "${name}" takes the place of the command`);
  if (callsItselfTwice(node.body, name))
    note(
      inspection,
      "catastrophe",
      "a function that starts itself again and again",
      "use a loop with an end",
    );
}

/** Whether a function calls itself in a pipe or in the background, which makes it a fork bomb. */
function callsItselfTwice(body: SyntaxNode, name: string): boolean {
  let found = false;
  const visit = (node: SyntaxNode, forked: boolean): void => {
    const forks =
      forked || node.type === "Pipeline" || (node.type === "Statement" && node.background === true);
    if (node.type === "Command" && node.name?.value === name && forks) found = true;
    forEachChild(node, (child) => visit(child, forks));
  };
  visit(body, false);
  return found;
}

function judgeExpansion(node: ParameterExpansionPart, inspection: Inspection): void {
  const { operation, prefix, index, parameter, text } = node;
  if (operation !== undefined || prefix !== undefined || index !== undefined) inspection.plain = false;
  if (prefix === "!") noteUnclear(inspection, `${text} names its variable when it runs`);
  if (index !== undefined && !/^[@*]$/.test(index.text)) judgeArithmetic(index.text, inspection);
  if (operation?.type === "Transform" && operation.operand.text === "P")
    noteUnclear(inspection, `${text} runs what its value says`);
  if (operation?.type === "Unknown") noteUnclear(inspection, `${text} cannot be read`);
  if (operation?.type === "Default" && operation.operator.includes("=")) judgeName(parameter, inspection);
}

/** Judges arithmetic. The shell evaluates variables in it, and evaluating a value such as `a[$(…)]` runs a command. */
function judgeArithmetic(text: string, inspection: Inspection): void {
  if (!isTameArithmetic(text, inspection.untrusted))
    noteUnclear(inspection, `what ${text} evaluates to may run a command`);
}
