import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, createSkill, findSkills, mount } from "@toolmount/tool-skills";
import { expect, test } from "vitest";
import { copyOfSkills, hostWith } from "./world.ts";

const problemsOf = async (folder: string, folders = ["skills"]) =>
  (await findSkills(folders, folder).catch((error: unknown) => error as Error)) as Error;

/** A folder of one skill with this SKILL.md. */
async function skillOf(name: string, text: string) {
  const folder = await copyOfSkills();
  const place = join(folder, "own", name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "SKILL.md"), text);
  return { folder, place };
}

const front = (name: string) => `---\nname: ${name}\ndescription: Notes.\n---\n`;

test("a skill has at most 512 files, and one more is named as the reason", async () => {
  const { folder, place } = await skillOf("many", front("many"));
  for (let at = 1; at < 512; at++) await writeFile(join(place, `${at}.md`), "");
  expect((await findSkills(["own"], folder))[0]?.files).toHaveLength(512);

  await writeFile(join(place, "last.md"), "");
  expect((await problemsOf(folder, ["own"])).message).toContain("it has more than 512 files");
});

test("a skill's files have at most 16 MB together, and one of them no more alone", async () => {
  const { folder, place } = await skillOf("large", front("large"));
  const most = 16 * 1024 * 1024;
  for (const name of ["a", "b"]) await writeFile(join(place, name), "");
  await truncate(join(place, "a"), most - front("large").length - 1);
  await truncate(join(place, "b"), 1);
  expect((await findSkills(["own"], folder))[0]?.files.map(({ size }) => size)).toEqual([
    front("large").length,
    most - front("large").length - 1,
    1,
  ]);

  await truncate(join(place, "b"), 2);
  expect((await problemsOf(folder, ["own"])).message).toContain(`its files have more than ${most} bytes`);
  await truncate(join(place, "a"), most + 1);
  expect((await problemsOf(folder, ["own"])).message).toContain(`a is not a file of at most ${most} bytes`);
});

test.each([
  ["---\n- a list\n---\n", "its front matter is invalid: it: "],
  ["---\nname: odd\ndescription: x\nmetadata: 7\n---\n", "metadata: "],
  [`---\nname: odd\ndescription: ${"x".repeat(1_025)}\n---\n`, "description: "],
  [`---\nname: odd\ndescription: x\ncompatibility: ${"x".repeat(501)}\n---\n`, "compatibility: "],
  ['---\nname: odd\ndescription: " "\n---\n', "description: is empty"],
  ["---\nname: odd\ndescription: x\n", 'it does not begin with a front matter between two lines "---"'],
  [
    "\n---\nname: odd\ndescription: x\n---\n",
    'it does not begin with a front matter between two lines "---"',
  ],
  ["---\nname: odd\ndescription: a: b\n---\n", "line 3: "],
  ["---\nname: odd\ndescription: &a x\nlicense: *a\n---\n", ""],
])("a SKILL.md that begins %j is refused with its place", async (text, problem) => {
  const { folder } = await skillOf("odd", text);
  const error = await problemsOf(folder, ["own"]);
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toContain(problem);
});

test("a SKILL.md of Windows, with a mark of its encoding, is read, and longest names and texts are allowed", async () => {
  const name = `a${"-b".repeat(31)}c`;
  const text = `\u{FEFF}---\r\nname: ${name}\r\ndescription: ${"x".repeat(1_024)}\r\ncompatibility: ${"y".repeat(500)}\r\n---\r\n`;
  const { folder } = await skillOf(name, text);

  expect((await findSkills(["own"], folder))[0]?.frontMatter).toMatchObject({
    name,
    compatibility: "y".repeat(500),
  });
});

test("skills of several folders are in the order of their names, and two of one name are refused", async () => {
  const { folder } = await skillOf("alpha", front("alpha"));
  expect((await findSkills(["skills", "own"], folder)).map(({ frontMatter }) => frontMatter.name)).toEqual([
    "alpha",
    "pdf-forms",
    "release-notes",
  ]);

  const { message } = await problemsOf(folder, ["own", "own/alpha"]);
  expect(message).toContain(`${join(folder, "own/alpha")} has a skill of the same name`);
});

test("a path that is asked for is shown in part, beside files that the skill has", async () => {
  const host = await hostWith(await copyOfSkills());
  const ask = async (file: string) =>
    (await host.call({ name: "skill_release_notes", arguments: { file } })).result;

  expect((await ask("z".repeat(1_000))).error).toBe(
    `The skill "release-notes" has no file "${"z".repeat(200)}". It has SKILL.md.`,
  );
  expect(await ask("z".repeat(1_001))).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await ask("SKIL.md")).toMatchObject({
    code: "SKILL_FILE_NOT_FOUND",
    details: { near: ["SKILL.md"] },
  });
});

test("without other files and tools a skill has its text alone", async () => {
  const { folder } = await skillOf("plain", front("plain"));
  const host = await hostWith(folder, ["own"]);

  expect((await host.call({ name: "skill_plain" })).result.data).toEqual({
    skill: "plain",
    file: "SKILL.md",
    text: front("plain"),
  });
});

test("a skill that the plan's folders have no more is unmounted after a reload, and sessions learn of it once", async () => {
  const folder = await copyOfSkills();
  const host = await hostWith(folder);
  const { hooks } = host.coordinator;
  const changes: unknown[] = [];
  hooks.observe("skills:changed", (_, event) => void changes.push(event));
  const names = () => host.tools().map(({ name }) => name);
  const mounted = () => hooks.emit("plan:mounted", {});
  await mounted();
  expect([names(), changes.length]).toEqual([["skill_pdf_forms", "skill_release_notes"], 0]);

  await rm(join(folder, "skills/pdf-forms"), { recursive: true });
  await mounted();
  await expect.poll(names).toEqual(["skill_release_notes"]);
  await expect.poll(() => changes.length).toBe(1);
  await mounted();
  await expect.poll(names).toEqual(["skill_release_notes"]);
  expect(changes).toHaveLength(1);
});

test("skills offer their events and their files, and need the folder of the plan", async () => {
  const host = await hostWith(await copyOfSkills());
  const contributions = async (channel: string) => await host.coordinator.collectContributions(channel);

  expect((await contributions("observability.events")).flat()).toContain("skills:changed");
  expect(
    ((await contributions("skills")).flat() as { digest: string }[]).map((each) => Object.keys(each)),
  ).toEqual([
    ["digest", "frontMatter", "files"],
    ["digest", "frontMatter", "files"],
  ]);
  const homeless = createHost();
  await expect(mount(homeless.coordinator, config.parse({ folders: ["skills"] }))).rejects.toThrow(
    "skills need the folder of the plan: the capability session.working_dir",
  );
});

test("a skill without mounted tools activates none", async () => {
  const [skill] = await findSkills(["skills"], await copyOfSkills());
  const host = createHost();
  host.coordinator.mount("tools", createSkill(skill!));

  expect((await host.session("s").call({ name: "skill_pdf_forms" })).result.data).not.toHaveProperty("tools");
});
