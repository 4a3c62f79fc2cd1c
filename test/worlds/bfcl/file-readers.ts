import { defineTool } from "@toolmount/core";
import { z } from "zod";
import { printFixed } from "./rounding.ts";
import { answer, error, read } from "./service.ts";
import { codePoints, compareCodePoints, linesOf, wordsOf } from "./text.ts";
import { nodesBelow, type File, type Shell } from "./tree.ts";

const badName = /[|/\\?%*:"><]/;
const fileName = z.string().describe("A file here, without a path");

/** The tools that look into files of the current directory. */
export function createFileReaders(shell: Shell) {
  return [cat(shell), wc(shell), sort(shell), grep(shell), tail(shell), diff(shell), du(shell)];
}

function fileOf({ current }: Shell, name: string): File | undefined {
  const node = current.entries.get(name);
  return node?.kind === "file" ? node : undefined;
}

function cat(shell: Shell) {
  return defineTool({
    ...read,
    name: "cat",
    description: "Shows what is in a file.",
    schema: z.strictObject({ file_name: fileName }),
    execute: ({ file_name: name }) => {
      if (badName.test(name)) return error(`cat: '${name}': Invalid character`);
      const node = shell.current.entries.get(name);
      if (node?.kind === "directory") return error(`cat: '${name}': Is a directory`);
      if (node === undefined) return error(`cat: '${name}': No such file or directory`);
      return answer({ file_content: node.content });
    },
  });
}

const counts = {
  l: { type: "lines", count: (text: string) => linesOf(text).length },
  w: { type: "words", count: (text: string) => wordsOf(text).length },
  c: { type: "characters", count: codePoints },
};

function wc(shell: Shell) {
  return defineTool({
    ...read,
    name: "wc",
    description: "Counts the lines, words or characters of a file.",
    schema: z.strictObject({
      file_name: fileName,
      mode: z.string().default("l").describe("'l' lines, 'w' words, 'c' characters"),
    }),
    execute: ({ file_name: name, mode }) => {
      if (mode !== "l" && mode !== "w" && mode !== "c") return error(`wc: invalid mode '${mode}'`);
      const file = fileOf(shell, name);
      if (file === undefined) return error(`wc: ${name}: No such file or directory`);
      const { type, count } = counts[mode];
      return answer({ count: count(file.content), type });
    },
  });
}

function sort(shell: Shell) {
  return defineTool({
    ...read,
    name: "sort",
    description: "Shows the lines of a file, sorted. The file stays as it is.",
    schema: z.strictObject({ file_name: fileName }),
    execute: ({ file_name: name }) => {
      const file = fileOf(shell, name);
      if (file === undefined) return error(`sort: ${name}: No such file or directory`);
      return answer({ sorted_content: linesOf(file.content).toSorted(compareCodePoints).join("\n") });
    },
  });
}

function grep(shell: Shell) {
  return defineTool({
    ...read,
    name: "grep",
    description: "Shows the lines of a file that contain a text.",
    schema: z.strictObject({ file_name: fileName, pattern: z.string().describe("The text, as it is") }),
    execute: ({ file_name: name, pattern }) => {
      const file = fileOf(shell, name);
      if (file === undefined) return error(`grep: ${name}: No such file or directory`);
      return answer({ matching_lines: linesOf(file.content).filter((line) => line.includes(pattern)) });
    },
  });
}

function tail(shell: Shell) {
  return defineTool({
    ...read,
    name: "tail",
    description: "Shows the last lines of a file.",
    schema: z.strictObject({
      file_name: fileName,
      lines: z.int().default(10).describe("How many; 0 is all"),
    }),
    execute: ({ file_name: name, lines }) => {
      const file = fileOf(shell, name);
      if (file === undefined) return error(`tail: ${name}: No such file or directory`);
      return answer({ last_lines: linesOf(file.content).slice(-lines).join("\n") });
    },
  });
}

function diff(shell: Shell) {
  return defineTool({
    ...read,
    name: "diff",
    description: "Compares two files line by line.",
    schema: z.strictObject({ file_name1: fileName, file_name2: fileName }),
    execute: ({ file_name1, file_name2 }) => {
      const [one, other] = [fileOf(shell, file_name1), fileOf(shell, file_name2)];
      if (one === undefined || other === undefined)
        return error(`diff: ${file_name1} or ${file_name2}: No such file or directory`);
      const others = linesOf(other.content);
      const pairs = linesOf(one.content)
        .slice(0, others.length)
        .map((line, index) => [line, others[index]!] as const);
      const unequal = pairs.filter(([line, counterpart]) => line !== counterpart);
      return answer({
        diff_lines: unequal.map(([line, counterpart]) => `- ${line}\n+ ${counterpart}`).join("\n"),
      });
    },
  });
}

function du(shell: Shell) {
  return defineTool({
    ...read,
    name: "du",
    description: "Shows how much the files below the current directory take.",
    schema: z.strictObject({ human_readable: z.boolean().default(false) }),
    execute: ({ human_readable: readable }) => {
      let bytes = 0;
      for (const { node } of nodesBelow(shell.current, ""))
        if (node.kind === "file") bytes += Buffer.byteLength(node.content);
      return answer({ disk_usage: readable ? printSize(bytes) : `${bytes} bytes` });
    },
  });
}

function printSize(bytes: number): string {
  let size = bytes;
  for (const unit of ["B", "KB", "MB", "GB"]) {
    if (size < 1024) return `${printFixed(size, 2)} ${unit}`;
    size /= 1024;
  }
  return `${printFixed(size, 2)} TB`;
}
