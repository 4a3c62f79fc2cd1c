import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { scanText } from "@toolmount/core/scan";
import { parseFrontMatter, type FrontMatter } from "./front-matter.ts";
import { readSkillFolder, sha256, type SkillFile } from "./skill-files.ts";

/** A skill on disk, as described at https://agentskills.io. */
export interface Skill {
  /** The folder that contains its SKILL.md. */
  readonly folder: string;
  readonly frontMatter: FrontMatter;
  /** All its files, SKILL.md among them. */
  readonly files: readonly SkillFile[];
  /** Digest of the paths and digests of all files. */
  readonly digest: string;
}

/**
 * Finds the skills in folders. A folder with a SKILL.md is a skill; of any other, the folders directly in it that have one.
 * Throws one error that names every skill that cannot be used.
 */
export async function findSkills(folders: readonly string[], base: string): Promise<readonly Skill[]> {
  const problems: string[] = [];
  const skills = new Map<string, Skill>();
  for (const folder of folders) {
    for (const place of await skillFolders(resolve(base, folder), folder, problems)) {
      try {
        const skill = await readSkill(place);
        const same = skills.get(skill.frontMatter.name);
        if (same !== undefined) throw new Error(`${same.folder} has a skill of the same name`);
        skills.set(skill.frontMatter.name, skill);
      } catch (error) {
        problems.push(`the skill in ${place} cannot be used: ${(error as Error).message}`);
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return [...skills.values()].toSorted((a, b) => (a.frontMatter.name < b.frontMatter.name ? -1 : 1));
}

async function skillFolders(folder: string, written: string, problems: string[]): Promise<readonly string[]> {
  if (await hasSkill(folder)) return [folder];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    problems.push(`${written} is not a folder that can be read; skills are folders with a SKILL.md`);
    return [];
  }
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const withSkill = await Promise.all(below.map(async (place) => ((await hasSkill(place)) ? [place] : [])));
  const found = withSkill.flat().toSorted();
  if (found.length === 0)
    problems.push(`${written} has no skill: neither it nor a folder in it has a SKILL.md`);
  return found;
}

async function hasSkill(folder: string): Promise<boolean> {
  const facts = await stat(join(folder, "SKILL.md")).catch(() => undefined);
  return facts?.isFile() === true;
}

async function readSkill(folder: string): Promise<Skill> {
  const { files, instructions } = await readSkillFolder(folder);
  // Some editors on Windows write a byte order mark at the start. It cannot hide an instruction.
  const text = instructions.replace(/^\u{FEFF}/u, "");
  const frontMatter = parseFrontMatter(text);
  const { name } = frontMatter;
  if (name !== basename(folder))
    throw new Error(`its name is "${name}", but its folder is "${basename(folder)}"`);
  const hidden = scanText(text).find(({ kind }) => hiddenKinds.has(kind));
  if (hidden !== undefined) throw new Error(`SKILL.md ${hidden.message}`);
  const digest = sha256(Buffer.from(files.map((file) => `${file.digest} ${file.path}\n`).join("")));
  return { folder, frontMatter, files, digest };
}

/** Kinds of characters that a person who reads a SKILL.md does not see, but a model does. */
const hiddenKinds: ReadonlySet<string> = new Set([
  "tags",
  "zero-width",
  "variation-selectors",
  "bidi",
  "ansi",
  "control",
]);
