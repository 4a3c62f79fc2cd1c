import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Shell } from "../process/shell.ts";
import { homeOf } from "./mcp-clients.ts";

/** A skill or an agent of an application: a Markdown file with instructions. */
export interface FoundText {
  readonly name: string;
  /** The file's front matter, whose name and description a model reads in each request; null if it has none or cannot be read. */
  readonly head: string | null;
}

export interface FoundTexts {
  readonly skills: readonly FoundText[];
  readonly agents: readonly FoundText[];
}

/**
 * Folders of skills and of agents, in a project and in the user's folder. Sources: the pages on skills and on agents of
 * Claude Code, Codex, Gemini CLI, opencode and VS Code.
 */
const skillFolders = [
  ".claude/skills",
  ".agents/skills",
  ".codex/skills",
  ".gemini/skills",
  ".opencode/skills",
  ".github/skills",
];
const agentFolders = [".claude/agents", ".gemini/agents", ".opencode/agents", ".github/agents"];

/** Finds the skills and agents of this folder and of the user. A text to which several folders link is found once. */
export async function findTexts(shell: Pick<Shell, "cwd" | "env">): Promise<FoundTexts> {
  const places = [...new Set([shell.cwd, homeOf(shell)])];
  const below = (folders: readonly string[]) =>
    places.flatMap((place) => folders.map((folder) => join(place, folder)));
  const [skills, agents] = await Promise.all([
    readAll(below(skillFolders), (folder, name) => ({ name, file: join(folder, name, "SKILL.md") })),
    readAll(below(agentFolders), (folder, name) => ({
      name: name.replace(/(?:\.agent)?\.md$/, ""),
      file: join(folder, name),
    })),
  ]);
  // An agent has a front matter, but a page about agents, such as a README, does not.
  return { skills, agents: agents.filter(({ head }) => head !== null) };
}

type Place = (folder: string, name: string) => { readonly name: string; readonly file: string };

async function readAll(folders: readonly string[], place: Place): Promise<readonly FoundText[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => []);
      return names.filter((name) => !name.startsWith(".")).map((name) => place(folder, name));
    }),
  );
  const texts = await Promise.all(lists.flat().map(readOne));
  const found = new Map(texts.flatMap((text) => (text === undefined ? [] : [[text.file, text]])));
  return [...found.values()].map(({ name, head }) => ({ name, head }));
}

/** Maximum number of bytes of a file that are read for its front matter. */
const maxHead = 16_384;

/** Reads one text. Returns undefined for anything but a file, because reading a pipe could wait forever. */
async function readOne({ name, file }: ReturnType<Place>) {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isFile()) return undefined;
  const text = await readStart(real).catch(() => "");
  const [, head = null] = /^\u{feff}?---\r?\n([\s\S]*?)\r?\n---/u.exec(text) ?? [];
  return { name, file: real, head };
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHead), 0, maxHead, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
