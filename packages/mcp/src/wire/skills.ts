/** One skill of a module: its texts for lists, and the digests of its files. */
export interface OfferedSkill {
  /** The digest of the skill, which is the version of the tool that reads it. */
  readonly digest: string;
  readonly frontMatter: { readonly name: string; readonly description: string };
  /** All its files, SKILL.md among them. */
  readonly files: readonly SkillFile[];
}

interface SkillFile {
  /** Path below the skill's folder. */
  readonly path: string;
  readonly size: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Returns the name of the tool that reads a skill, without a plan's prefix: `skill_pdf_forms` for the skill `pdf-forms`. */
export function skillToolName(skill: string): string {
  return `skill_${skill.replaceAll("-", "_")}`;
}

/** Encodes a path below a skill for use in an address. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Key under `_meta` of a tool's definition for the skill of a mounted server that the tool reads. */
export const skillMetaKey = "dev.toolmount/skill";
