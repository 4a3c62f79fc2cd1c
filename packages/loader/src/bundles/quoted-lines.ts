/**
 * Indents the lines of a quoted text below its key in a head of YAML. Many agents of Amplifier have examples in their description
 * that begin at the margin, which Python's reader accepts and YAML does not. The value stays the same.
 */
export function indentQuoted(head: string): string {
  let indent: string | null = null;
  const lines = head.split("\n").map((line) => {
    if (indent === null) {
      const [, before = null] = opening.exec(line) ?? [];
      indent = before;
      return line;
    }
    const indented = line.trim() === "" || line.startsWith(`${indent} `) ? line : `${indent}  ${line}`;
    if (closing.test(line)) indent = null;
    return indented;
  });
  return indent === null ? lines.join("\n") : head;
}

const opening = /^([ \t]*)[\w-]+:[ \t]+"(?:[^"\\]|\\.)*\\?\r?$/;
const closing = /^(?:[^"\\]|\\.)*"/;
