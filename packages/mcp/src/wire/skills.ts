/** One skill that a module offers. */
export interface OfferedSkill {
  /** The version of the tool that reads it. */
  readonly digest: string;
  readonly frontMatter: { readonly name: string; readonly description: string };
  /** All its files, SKILL.md among them. */
  readonly files: readonly SkillFile[];
}

interface SkillFile {
  /** Below the skill's folder. */
  readonly path: string;
  readonly size: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** The name of the tool that reads a skill, before a plan's prefix: `skill_pdf_forms` for the skill `pdf-forms`. */
export function skillToolName(skill: string): string {
  return `skill_${skill.replaceAll("-", "_")}`;
}

/** A path below a skill as part of an address. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Key under `_meta` of the definition of a tool that reads a skill of a mounted server: the skill's entry. */
export const skillMetaKey = "dev.toolmount/skill";
