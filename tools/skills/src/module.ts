import type { Coordinator, ToolInfo } from "@toolmount/core";
import type { ParsedSettings } from "./config.ts";
import { findSkills, type Skill } from "./find-skills.ts";
import { createSkill } from "./skill-tool.ts";

/** Channel on which a module offers its skills to a server with the skills extension of MCP. */
const skillsChannel = "skills";

/** The event after which a session may be offered different skills. */
const changedEvent = "skills:changed";

/** Mounts a tool for each skill. After a reload of the plan, changed and new skills are mounted, and missing ones unmounted. */
export async function mount(coordinator: Coordinator, { folders }: ParsedSettings): Promise<void> {
  const base = coordinator.getCapability("session.working_dir");
  if (base === undefined || base === null)
    throw new Error("skills need the folder of the plan: the capability session.working_dir");
  const mounted = new Map<string, { readonly skill: Skill; readonly undo: () => void }>();
  const tools = () => (coordinator.get("tools") as ReadonlyMap<string, ToolInfo>).values();
  const update = async (): Promise<boolean> => {
    const skills = await findSkills(folders, base);
    const now = new Map(skills.map((skill) => [skill.frontMatter.name, skill]));
    const gone = [...mounted].filter(([name, { skill }]) => now.get(name)?.digest !== skill.digest);
    for (const [name, { undo }] of gone) {
      undo();
      mounted.delete(name);
    }
    const fresh = skills.filter(({ frontMatter: { name } }) => !mounted.has(name));
    for (const skill of fresh)
      mounted.set(skill.frontMatter.name, {
        skill,
        undo: coordinator.mount("tools", createSkill(skill, tools)),
      });
    return gone.length + fresh.length > 0;
  };
  await update();
  const { hooks, logger } = coordinator;
  coordinator.registerContributor("observability.events", "skills", () => [changedEvent]);
  coordinator.registerContributor(skillsChannel, "skills", () =>
    [...mounted.values()].map(({ skill: { digest, frontMatter, files } }) => ({
      digest,
      frontMatter,
      files,
    })),
  );
  let updating: Promise<unknown> = Promise.resolve();
  let isNew = true;
  hooks.observe("plan:mounted", () => {
    // The first event belongs to the mounting in which the skills were read above.
    if (isNew) {
      isNew = false;
      return undefined;
    }
    updating = updating
      .then(update)
      .then(async (isOther) => isOther && hooks.emit(changedEvent, {}))
      .catch((err: unknown) => logger.warn({ err }, "the skills of the plan were not read again"));
    return updating;
  });
}
