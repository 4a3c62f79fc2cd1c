import type { Skill } from "@modelcontextprotocol/client/ext/skills";
import { expect, test } from "vitest";
import { readSkill, skillOf, skillProblem, toOffered } from "../src/mount/skills.ts";
import { skillMetaKey } from "../src/wire/skills.ts";

const file = (path: string) => ({ uri: `skill://notes/${path}`, size: 3, digest: `sha256:${path}` });
const skill = {
  uri: "skill://notes/SKILL.md",
  frontmatter: { name: "notes", description: "Writes notes." },
  resources: [file("SKILL.md"), file("a%20b.md"), { ...file("x"), uri: "https://elsewhere.test/c.md" }],
} as unknown as Skill;
const toolOf = (value: unknown) => ({ _meta: { [skillMetaKey]: value } });

test("a skill is offered with its files, by their paths, and with one digest of all", () => {
  const offered = toOffered(skill);
  expect(offered).toEqual({
    digest: expect.stringMatching(/^sha256:.+/),
    frontMatter: skill.frontmatter,
    files: [
      { path: "SKILL.md", size: 3, digest: "sha256:SKILL.md" },
      { path: "a b.md", size: 3, digest: "sha256:a%20b.md" },
      { path: "https://elsewhere.test/c.md", size: 3, digest: "sha256:x" },
    ],
  });
  const changed = { ...skill, resources: [file("SKILL.md")] } as unknown as Skill;
  expect(toOffered(changed).digest).not.toBe(offered.digest);
  expect(toOffered({ ...skill, resources: "dynamic" } as never).files).toEqual([]);
});

test("the skill of a tool is that under its key, and a tool of a server has none", () => {
  expect(skillOf(toolOf(skill))).toBe(skill);
  for (const other of [{}, { _meta: {} }, toolOf("no"), toolOf([])]) expect(skillOf(other)).toBeUndefined();
});

test.each<[string, unknown, string | undefined]>([
  ["of a server", undefined, undefined],
  ["of a skill with digests", skill, undefined],
  [
    "of a skill without digests",
    { ...skill, resources: "dynamic" },
    "the server gives no digests of its files, so it cannot be locked",
  ],
  [
    "of a skill whose address is not text",
    { ...skill, resources: [file("%ff")] },
    "the address of one of its files is not valid UTF-8",
  ],
])("a tool %s can be mounted, or says why not", (_, value, problem) => {
  expect(skillProblem(toolOf(value))).toBe(problem);
});

test.each([
  ["none.md", "none.md"],
  [7, "7"],
  ["x".repeat(201), "x".repeat(200)],
])("a file that a skill has not (%s) is an error that names it", async (given, named) => {
  await expect(readSkill({} as never, skill, { file: given })).rejects.toMatchObject({
    code: "SKILL_FILE_NOT_FOUND",
    message: `the skill "notes" has no file "${named}"`,
  });
});
