import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Shell } from "../process/shell.ts";
import { homeOf } from "./mcp-clients.ts";

/** A skill or an agent of an application, as a file of instructions. */
export interface FoundText {
  readonly name: string;
  /** Its front matter, of which a model reads name and description in each request; null for one that cannot be read. */
  readonly head: string | null;
}

export interface FoundTexts {
  readonly skills: readonly FoundText[];
  readonly agents: readonly FoundText[];
}

/**
 * Folders of skills and of agents, in a project and in the user's own folder. Sources: the pages on skills and on agents of
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

/** Finds the skills and agents of this folder and of the user. One that several folders link to is found once. */
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
  // An agent has a front matter; a page about agents, such as a README, has not.
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

/** Most bytes of a file that are read for its front matter. */
const maxHead = 16_384;

/** Undefined for what is no file: reading a pipe could wait for ever. */
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
