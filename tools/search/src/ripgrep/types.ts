import { runRipgrep, type Run } from "./run.ts";

/** Common names of kinds of files, with the engine's names for them. */
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

/** The kinds of files to which a search can be limited. */
interface FileTypes {
  readonly names: readonly string[];
  /** Returns the engine's name for a kind, or null if it does not know the kind. */
  resolve(name: string): string | null;
}

export const aliasNames: readonly string[] = Object.keys(aliases);

/** Asks the engine which kinds of files it knows. */
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
