import { runRipgrep, type Run } from "./run.ts";

/** Names that people use for a kind of file, and the engine's name for it. */
const aliases: Readonly<Record<string, string>> = {
  "c#": "csharp",
  "c++": "cpp",
  cs: "csharp",
  golang: "go",
  javascript: "js",
  jsx: "js",
  kt: "kotlin",
  markdown: "md",
  py3: "py",
  python3: "py",
  rb: "ruby",
  rs: "rust",
  shell: "sh",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
};

/** The kinds of files that a search can be bound to. */
interface FileTypes {
  readonly names: readonly string[];
  /** The engine's name for a kind, or null when it knows none. */
  resolve(name: string): string | null;
}

export const aliasNames: readonly string[] = Object.keys(aliases);

/** Asks the engine which kinds it knows. */
export async function readFileTypes(run: Omit<Run, "args" | "separator">): Promise<FileTypes> {
  const names: string[] = [];
  await runRipgrep({ ...run, args: ["--type-list"], separator: "\n" }, (record) => {
    names.push(record.toString().split(":", 1)[0]!);
    return true;
  });
  const known = new Set(names);
  return {
    names,
    resolve(given) {
      const name = given.trim().replace(/^\./, "").toLowerCase();
      const meant = Object.hasOwn(aliases, name) ? aliases[name]! : name;
      return known.has(meant) ? meant : null;
    },
  };
}
