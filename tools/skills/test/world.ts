import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Host } from "@toolmount/core";
import { config, findSkills, mount } from "@toolmount/tool-skills";
import { onTestFinished } from "vitest";

/** The skills of this package's tests. */
export const fixtures = join(import.meta.dirname, "fixtures");

/** A copy of those skills, which a test may change. */
export async function copyOfSkills(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-skills-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(fixtures, join(folder, "skills"), { recursive: true });
  return folder;
}

/** A host with the skills of `skills` below a folder. */
export async function hostWith(folder: string, folders: readonly string[] = ["skills"]): Promise<Host> {
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  await mount(host.coordinator, config.parse({ folders }));
  return host;
}

/** The error of skills that cannot be used. */
export const problemsOf = async (folder: string, folders = ["skills"]) =>
  (await findSkills(folders, folder).catch((error: unknown) => error as Error)) as Error;

/** A folder of one skill with this SKILL.md. */
export async function skillOf(name: string, text: string) {
  const folder = await copyOfSkills();
  const place = join(folder, "own", name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "SKILL.md"), text);
  return { folder, place };
}

/** The shortest front matter. */
export const front = (name: string) => `---\nname: ${name}\ndescription: Notes.\n---\n`;
