import { data, defineTool, failure, type Json, type ToolContext, type ToolInfo } from "@toolmount/core";
import { matchesGlob, nearestNames } from "@toolmount/core/text";
import { activateTools } from "@toolmount/core/sessions";
import { z } from "zod";
import type { Skill } from "./find-skills.ts";
import { allowedTools, type FrontMatter } from "./front-matter.ts";
import { readSkillFile, sha256, type SkillFile } from "./skill-files.ts";

const schema = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(1000)
    .default("SKILL.md")
    .describe("A file of the skill; the instructions are in SKILL.md"),
});

/** Returns the tools that are mounted now. */
export type MountedTools = () => Iterable<ToolInfo>;

/**
 * Makes the tool that reads one skill, with the skill's name and description. Its version is the digest of the skill's files,
 * so a lock file does not accept a skill that has changed.
 *
 * Reading SKILL.md activates the tools of `allowed-tools` in the session. This permits nothing: the policy decides each call.
 */
export function createSkill(skill: Skill, tools: MountedTools = () => []) {
  const { name, description } = skill.frontMatter;
  return defineTool({
    name: skillToolName(name),
    description: `Reads the skill "${name}": ${description.trim()} Call before such work, not for other work.`,
    summary: `Skill: ${description.trim().replaceAll(/\s+/g, " ")}`,
    usage: usageOf(skill.frontMatter),
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["skill"],
    version: skill.digest,
    async execute({ file }, context) {
      const known = skill.files.find(({ path }) => path === file);
      if (known === undefined) return noFile(skill, file);
      const bytes = await readSkillFile(skill.folder, file).catch(() => undefined);
      if (bytes === undefined || sha256(bytes) !== known.digest) return changed(skill, file);
      return data({
        skill: name,
        file,
        ...contentOf(bytes),
        ...(file === "SKILL.md" && instructionsOf(skill, tools, context)),
      });
    },
  });
}

/** Returns the usage text, which is short because a plan may have many skills. */
function usageOf({ name, description }: FrontMatter): string {
  return `${skillToolName(name)}: ${description.trim()}
- Before such work, call it without arguments and follow the instructions.
- file reads another file that the instructions name: {"file":"reference.md"}.
- Errors: SKILL_FILE_NOT_FOUND, SKILL_CHANGED (ask the user to accept the change).`;
}

/** Returns the name of a skill's tool, without the plan's prefix: `skill_pdf_forms` for the skill `pdf-forms`. */
function skillToolName(skill: string): string {
  return `skill_${skill.replaceAll("-", "_")}`;
}

/** Returns a file's content as text if it is UTF-8, else in base64. */
function contentOf(bytes: Buffer): Record<string, Json> {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: bytes.toString("base64") };
  }
}

function instructionsOf(
  skill: Skill,
  tools: MountedTools,
  { session, sessionId }: ToolContext,
): Record<string, Json> {
  const wanted = allowedTools(skill.frontMatter).map((name) => name.toLowerCase());
  const names = [...tools()]
    .map(({ name }) => name)
    .filter((name) => wanted.some((glob) => matchesGlob(glob, name.toLowerCase())));
  if (sessionId !== undefined && names.length > 0) activateTools(session, names);
  const files = skill.files.map(({ path }) => path).filter((path) => path !== "SKILL.md");
  return { ...(files.length > 0 && { files }), ...(names.length > 0 && { tools: names.toSorted() }) };
}

function noFile({ frontMatter: { name }, files }: Skill, file: string) {
  const paths = files.map(({ path }: SkillFile) => path);
  const near = nearestNames(file, paths);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(", ")}?` : `It has ${paths.slice(0, 50).join(", ")}.`;
  return failure(`The skill "${name}" has no file "${file.slice(0, 200)}". ${hint}`, {
    code: "SKILL_FILE_NOT_FOUND",
    details: { near: [...near] },
  });
}

function changed({ frontMatter: { name } }: Skill, file: string) {
  return failure(
    `The file "${file}" of the skill "${name}" changed after the plan was opened. Reload the plan, and accept the change where it is locked: toolmount lock --accept`,
    { code: "SKILL_CHANGED" },
  );
}
