import { mkdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, createSkill, findSkills, mount } from "@toolmount/tool-skills";
import { expect, test } from "vitest";
import { copyOfSkills, front, hostWith, problemsOf, skillOf } from "./world.ts";

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

test("folders without skills and folders that are missing are named as the plan writes them", async () => {
  const { folder } = await skillOf("alpha", front("alpha"));
  await mkdir(join(folder, "empty/docs"), { recursive: true });
  await mkdir(join(folder, "own/docs/SKILL.md"), { recursive: true });

  expect((await problemsOf(folder, ["empty", "own", "./none"])).message).toBe(
    [
      "empty has no skill: neither it nor a folder in it has a SKILL.md",
      "./none is not a folder that can be read; skills are folders with a SKILL.md",
    ].join("\n"),
  );
  expect(await findSkills(["own"], folder)).toHaveLength(1);
  expect(config.safeParse({ folders: [""] }).success).toBe(false);
});

test("a skill's files are sorted by their paths, and have digests of SHA-256", async () => {
  const { folder, place } = await skillOf("sorted", front("sorted"));
  await mkdir(join(place, "b"));
  for (const path of ["b/z.md", "b/a.md", "a.md", "c.md"]) await writeFile(join(place, path), "");
  const [skill] = await findSkills(["own"], folder);

  expect(skill!.files.map(({ path }) => path)).toEqual(["SKILL.md", "a.md", "b/a.md", "b/z.md", "c.md"]);
  expect(skill!.files[1]!.digest).toBe(
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});

test("a model sees the same of each skill's tool", async () => {
  const { folder } = await skillOf(
    "plain",
    "---\nname: plain-one\ndescription: ' Takes\n\n  notes. '\n---\n",
  );
  await rename(join(folder, "own/plain"), join(folder, "own/plain-one"));
  const host = await hostWith(folder, ["own"]);

  expect(host.tools()).toMatchObject([
    {
      name: "skill_plain_one",
      description: 'Reads the skill "plain-one": Takes\nnotes. Call before such work, not for other work.',
      summary: "Skill: Takes notes.",
      usage: `skill_plain_one: Takes
notes.
- Before such work, call it without arguments and follow the instructions.
- file reads another file that the instructions name: {"file":"reference.md"}.
- Errors: SKILL_FILE_NOT_FOUND, SKILL_CHANGED (ask the user to accept the change).`,
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      idempotent: true,
      inputSchema: {
        properties: {
          file: {
            type: "string",
            minLength: 1,
            maxLength: 1000,
            default: "SKILL.md",
            description: "A file of the skill; the instructions are in SKILL.md",
          },
        },
      },
    },
  ]);
});

test("at most fifty files are named beside one that is missing, and a text keeps its byte order mark", async () => {
  const { folder, place } = await skillOf("many", front("many"));
  for (let at = 10; at < 70; at++) await writeFile(join(place, `${at}.md`), "\u{FEFF}x");
  const host = await hostWith(folder, ["own"]);
  const ask = async (file: string) => (await host.call({ name: "skill_many", arguments: { file } })).result;
  const first = Array.from({ length: 50 }, (_, at) => `${at + 10}.md`).join(", ");

  expect((await ask("zzzzzzzzzzzz")).error).toBe(
    `The skill "many" has no file "zzzzzzzzzzzz". It has ${first}.`,
  );
  expect((await ask("10,md")).error).toMatch(/Did you mean 10\.md(, \d\d\.md)*\?$/);
  expect((await ask("10.md")).data).toMatchObject({ text: "\u{FEFF}x" });
  await writeFile(join(place, "10.md"), "y");
  expect((await ask("10.md")).error).toBe(
    'The file "10.md" of the skill "many" changed after the plan was opened. Reload the plan, and accept the change where it is locked: toolmount lock --accept',
  );
});

test("a skill without mounted tools activates none", async () => {
  const [skill] = await findSkills(["skills"], await copyOfSkills());
  const host = createHost();
  host.coordinator.mount("tools", createSkill(skill!));

  expect((await host.session("s").call({ name: "skill_pdf_forms" })).result.data).not.toHaveProperty("tools");
});
