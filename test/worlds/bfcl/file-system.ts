import { defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { createFileReaders } from "./file-readers.ts";
import { answer, error, read, write, type Entry, type Service } from "./service.ts";
import {
  createDirectory,
  createFile,
  findDirectory,
  nodesBelow,
  pathOf,
  printNode,
  readRoot,
  type Directory,
  type Node,
  type Shell,
} from "./tree.ts";

const badName = /[|/\\?%*:"><]/;

/** A small file system with one current directory. */
export function createFileSystem(configuration: Entry): Service {
  const root = readRoot(configuration["root"]);
  const shell: Shell = { root, current: root };
  return {
    tools: [
      ...createFileReaders(shell),
      echo(shell),
      list(shell),
      changeDirectory(shell),
      make(shell, "mkdir"),
      make(shell, "touch"),
      place(shell, "mv"),
      place(shell, "cp"),
      remove(shell),
      removeDirectory(shell),
      find(shell),
      where(shell),
    ],
    state: () => ({
      root: { [root.name]: printNode(root) },
      current_working_directory: pathOf(shell.current),
    }),
  };
}

function where(shell: Shell) {
  return defineTool({
    ...read,
    name: "pwd",
    description: "Shows the path of the current directory.",
    schema: z.strictObject({}),
    execute: () => answer({ current_working_directory: pathOf(shell.current) }),
  });
}

function list(shell: Shell) {
  return defineTool({
    ...read,
    name: "ls",
    description: "Lists the names in the current directory.",
    schema: z.strictObject({ a: z.boolean().default(false).describe("Names that begin with a point, too") }),
    execute: ({ a }) =>
      answer({
        current_directory_content: [...shell.current.entries.keys()].filter(
          (name) => a || !name.startsWith("."),
        ),
      }),
  });
}

function changeDirectory(shell: Shell) {
  return defineTool({
    ...write,
    name: "cd",
    description: "Changes the current directory, one level at a time.",
    schema: z.strictObject({ folder: z.string().describe("A directory here, '..', '.' or '/'") }),
    execute: ({ folder }) => {
      const name = folder.replace(/\/+$/, "") || "/";
      if (name === "..") {
        if (shell.current.parent === null)
          return error("Current directory is already the root. Cannot go back.");
        shell.current = shell.current.parent;
        return answer({});
      }
      const target =
        name === "/" ? shell.root : name === "." ? shell.current : shell.current.entries.get(name);
      if (name !== "/" && name.includes("/"))
        return error(`cd: ${name}: Unsupported path. Only one folder level at a time is supported.`);
      if (target?.kind !== "directory") return error(`cd: '${name}': No such file or directory`);
      shell.current = target;
      return answer({ current_working_directory: target.name });
    },
  });
}

function make(shell: Shell, command: "mkdir" | "touch") {
  const [what, field] =
    command === "mkdir" ? (["create directory", "dir_name"] as const) : (["touch", "file_name"] as const);
  return defineTool({
    ...write,
    name: command,
    description: command === "mkdir" ? "Makes a directory here." : "Makes an empty file here.",
    schema: z.strictObject({ [field]: z.string().describe("A name without a path") }),
    execute: (given) => {
      const name = given[field]!;
      const refused = `${command}: cannot ${what} '${name}': `;
      if (badName.test(name)) return error(`${refused}Invalid character`);
      if (shell.current.entries.has(name)) return error(`${refused}File exists`);
      shell.current.entries.set(
        name,
        command === "mkdir" ? createDirectory(name, shell.current) : createFile(),
      );
      return answer(null);
    },
  });
}

function echo(shell: Shell) {
  return defineTool({
    ...write,
    name: "echo",
    description: "Shows a text, or writes it to a file that exists here.",
    schema: z.strictObject({
      content: z.string(),
      file_name: z.string().optional().describe("The file that gets the text; it loses what it had"),
    }),
    execute: ({ content, file_name: name = "" }) => {
      if (name === "") return answer({ terminal_output: content });
      if (badName.test(name)) return error(`echo: cannot write to '${name}': Invalid character`);
      const node = shell.current.entries.get(name);
      if (node === undefined) return error(`echo: cannot write to '${name}': No such file`);
      if (node.kind === "directory") return failure(`'${name}' is a directory`, { code: "IS_DIRECTORY" });
      node.content = content;
      return answer(null);
    },
  });
}

/** `mv` and `cp`: the same checks in the same order, but for a name that the directory has already. */
function place(shell: Shell, command: "mv" | "cp") {
  const [verb, done] = command === "mv" ? ["move", "moved"] : ["copy", "copied"];
  return defineTool({
    ...write,
    name: command,
    description: `${command === "mv" ? "Moves or renames" : "Copies"} a file or directory of the current directory.`,
    schema: z.strictObject({
      source: z.string().describe("A name here"),
      destination: z.string().describe("A new name, or a directory here"),
    }),
    execute: ({ source, destination }) => {
      const { current } = shell;
      const node = current.entries.get(source);
      const refused = `${command}: cannot ${verb} '${source}'`;
      if (node === undefined) return error(`${refused}: No such file or directory`);
      if (destination.includes("/"))
        return error(`${command}: path not allowed in destination. Provide only a file or directory name.`);
      const target = current.entries.get(destination);
      if (target?.kind === "file") return error(`${refused} to '${destination}': Not a directory`);
      const inside = target?.kind === "directory";
      if (inside && target.entries.has(source)) {
        if (command === "mv") return error(`${refused} to '${destination}/${source}': File exists`);
        const kind = node.kind === "file" ? "File" : "Directory";
        return failure(`${kind} '${source}' already exists in directory '${destination}'.`, {
          code: "EXISTS",
        });
      }
      if (command === "mv") current.entries.delete(source);
      const name = inside ? source : destination;
      const parent = inside ? target : current;
      parent.entries.set(name, transferred(node, name, parent, command));
      const shown = inside ? `${destination}/${source}` : destination;
      return answer({ result: `'${source}' ${done} to '${shown}'` });
    },
  });
}

/** A moved directory keeps its table, a copied one gets a table of the same entries; a file is one of its own. */
function transferred(node: Node, name: string, parent: Directory, command: "mv" | "cp"): Node {
  if (node.kind === "file") return createFile(node.content);
  return createDirectory(name, parent, command === "mv" ? node.entries : new Map(node.entries));
}

function remove(shell: Shell) {
  return defineTool({
    ...write,
    name: "rm",
    description: "Removes a file, or a directory with all in it.",
    schema: z.strictObject({ file_name: z.string().describe("A name here") }),
    execute: ({ file_name: name }) =>
      shell.current.entries.delete(name)
        ? answer({ result: `'${name}' removed` })
        : error(`rm: cannot remove '${name}': No such file or directory`),
  });
}

function removeDirectory(shell: Shell) {
  return defineTool({
    ...write,
    name: "rmdir",
    description: "Removes an empty directory.",
    schema: z.strictObject({ dir_name: z.string().describe("A directory here") }),
    execute: ({ dir_name: name }) => {
      const node = shell.current.entries.get(name);
      const refused = `rmdir: cannot remove '${name}': `;
      if (node === undefined) return error(`${refused}No such file or directory`);
      if (node.kind === "file") return error(`${refused}Not a directory`);
      if (node.entries.size > 0) return error(`${refused}Directory not empty`);
      shell.current.entries.delete(name);
      return answer({ result: `'${name}' removed` });
    },
  });
}

function find(shell: Shell) {
  return defineTool({
    ...read,
    name: "find",
    description: "Finds files and directories below a path by a part of their name.",
    schema: z.strictObject({
      path: z.string().default(".").describe("Where to begin"),
      name: z.string().optional().describe("What a name must contain; everything when absent"),
    }),
    execute: ({ path, name = "" }) => {
      const from = findDirectory(shell.root, shell.current, path);
      if (from === undefined) return error(`find: '${path}': No such file or directory`);
      const found = [...nodesBelow(from, path.replace(/\/+$/, ""))].filter((node) =>
        node.name.includes(name),
      );
      return answer({ matches: found.map((node) => node.path) });
    },
  });
}
