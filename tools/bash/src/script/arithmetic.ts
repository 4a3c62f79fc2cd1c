import type { SyntaxNode } from "unbash";
import { forEachChild } from "unbash";
import { readWord } from "./words.ts";

/**
 * Returns the variables whose value may be more than a number or a plain word. In arithmetic the shell evaluates the value
 * itself, and evaluating a value like `a[$(…)]` runs a command.
 */
export function untrustedVariables(root: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    collect(node, names);
    forEachChild(node, visit);
  };
  visit(root);
  return names;
}

const plainValue = /^[\w.+-]*$/;

function collect(node: SyntaxNode, names: Set<string>): void {
  if (node.type === "Assignment") {
    const words = node.value.type === "Word" ? [node.value] : node.value.elements;
    if (!words.every((word) => isPlain(word))) names.add(node.name);
  }
  if (
    (node.type === "For" || node.type === "Select") &&
    !(node.wordlist ?? []).every((word) => isPlain(word))
  )
    names.add(node.name.value);
  if (node.type === "ParameterExpansion" && node.operation?.type === "Default") names.add(node.parameter);
  if (node.type === "Command") for (const name of namesRead(node)) names.add(name);
}

function isPlain(word: Parameters<typeof readWord>[0]): boolean {
  const { value } = readWord(word);
  if (value !== null) return plainValue.test(value);
  return word.parts?.length === 1 && word.parts[0]!.type === "ArithmeticExpansion";
}

/** Returns the variables that a builtin fills with data from elsewhere. */
function namesRead(command: Extract<SyntaxNode, { type: "Command" }>): string[] {
  const name = command.name === undefined ? null : readWord(command.name).value;
  if (name === null || !/^(read|mapfile|readarray|getopts|printf|wait)$/.test(name)) return [];
  const words = command.args.flatMap((word) => (word.type === "Word" ? [word.value] : []));
  return ["REPLY", "MAPFILE", ...words.filter((word) => /^[A-Za-z_]\w*$/.test(word))];
}

/** Whether an arithmetic expression has only harmless characters, and no variable in `untrusted`. */
export function isTameArithmetic(text: string, untrusted: ReadonlySet<string>): boolean {
  if (!/^[\w\s+\-*/%<>=!&|^~?:(),${}[\]#]*$/.test(text) || /\$\{!|\$[\d(]|\$\{\d/.test(text)) return false;
  return (text.match(/[A-Za-z_]\w*/g) ?? []).every((name) => !untrusted.has(name));
}
