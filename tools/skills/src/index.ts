export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export { findSkills, type Skill } from "./find-skills.ts";
export type { SkillFile } from "./skill-files.ts";
export type { FrontMatter } from "./front-matter.ts";
export { createSkill, type MountedTools } from "./skill-tool.ts";
