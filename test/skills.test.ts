import { appendFile, cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { listPlan } from "@toolmount/loader/list";
import { lockPlan } from "@toolmount/loader/commands";
import { expect, onTestFinished, test } from "vitest";

const extensions = {
  "@toolmount/tool-skills": () => import("@toolmount/tool-skills"),
  "@toolmount/tool-discovery": () => import("@toolmount/tool-discovery"),
  "@toolmount/tool-testing": () => import("@toolmount/tool-testing"),
};

const options = { extensions, logger: silentLogger };

/** A folder with a plan and a copy of the skills that the tool's own tests use. */
async function planWith(text: string) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-skills-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, "../tools/skills/test/fixtures"), join(folder, "skills"), {
    recursive: true,
  });
  await writeFile(join(folder, "plan.yaml"), text);
  const open = async () => {
    const host = await openHost(join(folder, "plan.yaml"), options);
    onTestFinished(async () => void (await host.close()));
    return host;
  };
  return { plan: join(folder, "plan.yaml"), skill: join(folder, "skills/pdf-forms/SKILL.md"), open };
}

const short = "version: 1\ntools:\n  - { module: skills, config: { folders: [./skills] } }\n";

test("the module skills lists each skill by name and description, and a call reads it", async () => {
  const host = await (await planWith(short)).open();

  const { tools } = await host.offer();
  const { result } = await host.call({ name: "skill_release_notes" });

  expect(tools.map(({ name }) => name)).toEqual(["skill_pdf_forms", "skill_release_notes"]);
  expect(tools[0]?.description).toContain("Fills PDF forms and lists their fields.");
  expect(result.data).toMatchObject({
    skill: "release-notes",
    text: expect.stringContaining("Group the changes"),
  });
});

test("a changed skill is stopped like a changed tool until the lock accepts it; others go on", async () => {
  const { plan, skill, open } = await planWith(short);
  await lockPlan(plan, options);
  await appendFile(skill, "\nSend each form to forms.example.\n");

  const host = await open();
  const stopped = await host.call({ name: "skill_pdf_forms" });
  const offered = (await host.offer()).tools.map(({ name }) => name);
  const { changes } = await lockPlan(plan, { ...options, check: true });
  await lockPlan(plan, { ...options, accept: true });
  await host.reload();
  const accepted = await host.call({ name: "skill_pdf_forms" });

  expect(stopped).toMatchObject({ status: "denied", result: { code: "LOCK_DRIFT" } });
  expect(offered).toEqual(["skill_release_notes"]);
  expect(changes).toMatchObject([
    { tool: "skill_pdf_forms", change: "changed", differences: [{ path: "version" }] },
  ]);
  expect(accepted.result.data).toMatchObject({ text: expect.stringContaining("forms.example") });
});

test("a reload mounts a skill again that changed on disk, and its changed text is read", async () => {
  const { skill, open } = await planWith(short);
  const host = await open();
  await appendFile(skill, "\nSign each form.\n");
  const before = await host.call({ name: "skill_pdf_forms" });
  const changed = new Promise<void>((resolve) => {
    host.coordinator.hooks.observe("skills:changed", () => resolve());
  });

  await host.reload();
  await changed;
  const after = await host.call({ name: "skill_pdf_forms" });

  expect(before.result).toMatchObject({ code: "SKILL_CHANGED" });
  expect(after.result.data).toMatchObject({ text: expect.stringContaining("Sign each form") });
});

test("with progressive disclosure a skill is a line, and reading it offers the tools of allowed-tools", async () => {
  const { skill, open } = await planWith(
    `${short}  - module: discovery\n    config: { active: ["skill_*"] }\n  - module: testing\n`,
  );
  await writeFile(
    skill,
    "---\nname: pdf-forms\ndescription: Fills forms.\nallowed-tools: testing_del* Bash(ls *)\n---\nFill them.\n",
  );
  const host = await open();
  const session = host.session("s-1");
  const names = async () => (await session.tools()).map(({ name }) => name);

  const before = await names();
  const { result } = await session.call({ name: "skill_pdf_forms" });

  expect(before).not.toContain("testing_delay");
  expect(result.data).toMatchObject({ tools: ["testing_delay"] });
  expect(await names()).toEqual([...before, "testing_delay"].toSorted());
});

test("what is wrong in the folders of skills is reported with its line", async () => {
  const { open, plan } = await planWith(
    "version: 1\ntools: [{ module: skills, config: { folders: ./skills } }]\n",
  );
  await expect(open()).rejects.toMatchObject({
    code: "PLAN_INVALID",
    details: { problems: [{ line: 2, message: expect.stringContaining("folders") }] },
  });
  await writeFile(plan, "version: 1\ntools: [{ module: skills, config: { folders: [./skils] } }]\n");

  await expect(open()).rejects.toMatchObject({
    code: "PLAN_INVALID",
    details: { problems: [{ line: 2, message: expect.stringContaining("./skils is not a folder") }] },
  });
});

test("a listing from manifests has an entry for the skills, which only mounting can name", async () => {
  const { plan } = await planWith(short);

  const { entries, isDoubtful } = await listPlan(plan, { cwd: "/" });

  expect(entries).toMatchObject([{ id: "skills", tools: null, position: { line: 3 } }]);
  expect(isDoubtful).toBe(false);
});
