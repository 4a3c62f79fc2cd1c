import { createHost } from "@toolmount/core";
import { createSkill, findSkills } from "@toolmount/tool-skills";
import { expect, test } from "vitest";
import { front, problemsOf, skillOf } from "./world.ts";

const noFront = 'it does not begin with a front matter between two lines "---"';
const invalid = (problems: string) => `its front matter is invalid: ${problems}`;

test.each([
  ["---\n- a list\n---\n", invalid("it: Invalid input: expected object, received array")],
  [
    "---\nname: odd\ndescription: x\nmetadata: 7\n---\n",
    invalid("metadata: Invalid input: expected record, received number"),
  ],
  [
    "---\nname: odd\ndescription: x\nmetadata: { a: .inf }\nlicense: 7\n---\n",
    invalid("license: Invalid input: expected string, received number; metadata.a: Invalid input"),
  ],
  [
    `---\nname: odd\ndescription: ${"x".repeat(1_025)}\n---\n`,
    invalid("description: Too big: expected string to have <=1024 characters"),
  ],
  [
    `---\nname: odd\ndescription: x\ncompatibility: ${"x".repeat(501)}\n---\n`,
    invalid("compatibility: Too big: expected string to have <=500 characters"),
  ],
  [
    `---\nname: ${"x".repeat(65)}\ndescription: x\n---\n`,
    invalid("name: Too big: expected string to have <=64 characters"),
  ],
  [
    "---\nname: a--b\ndescription: x\n---\n",
    invalid("name: has lower-case letters and digits, with single hyphens between them"),
  ],
  ['---\nname: odd\ndescription: " "\n---\n', invalid("description: is empty")],
  ["---\nname: odd\ndescription: x\nallowed-tools: 7\n---\n", invalid("allowed-tools: Invalid input")],
  ["---\nname: odd\ndescription: x\n", noFront],
  ["\n---\nname: odd\ndescription: x\n---\n", noFront],
  ["---", noFront],
  [
    "---\nname: odd\ndescription: a: b\n---\n",
    'line 3: Nested mappings are not allowed in compact mappings; a text with ": " needs quotes',
  ],
  ["---\nname: odd\ndescription: &a x\nlicense: *a\n---\n", "Alias resolution is disabled"],
  ["---\n---\n", invalid("it: Invalid input: expected object, received null")],
])("a SKILL.md that begins %j is refused with its place", async (text, problem) => {
  const { folder, place } = await skillOf("odd", text);

  expect((await problemsOf(folder, ["own"])).message).toBe(
    `the skill in ${place} cannot be used: ${problem}`,
  );
});

test.each([
  ["\u{200B}", "SKILL.md holds characters without width (U+200B)"],
  ["\u{FE00}\u{FE01}\u{FE02}", "variation"],
  ["\u{202E}", "SKILL.md changes the direction of text"],
  ["\u{1B}[8m", "SKILL.md holds a terminal escape sequence (U+001B)"],
  ["\u{8}", "control"],
])("a SKILL.md with the hidden characters %j is refused", async (hidden, problem) => {
  const { folder } = await skillOf("odd", `${front("odd")}Read ${hidden}this.\n`);

  expect((await problemsOf(folder, ["own"])).message).toContain(problem);
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

test("allowed tools are separated by spaces and commas, or are a list, without the rules of other hosts", async () => {
  const read = async (allowed: string, mounted: readonly string[]) => {
    const text = `---\nname: tools\ndescription: x\nallowed-tools: ${allowed}\n---\n`;
    const { folder } = await skillOf("tools", text);
    const [skill] = await findSkills(["own"], folder);
    const host = createHost();
    const tools = () => mounted.map((name) => ({ name }) as never);
    host.coordinator.mount("tools", createSkill(skill!, tools));
    return (await host.call({ name: "skill_tools" })).result.data;
  };

  expect(await read("Read, Bash(git:*)Write  Grep", ["write", "read", "bash", "grep", "x"])).toMatchObject({
    tools: ["bash", "grep", "read", "write"],
  });
  expect(await read("[Read, 'fill_*']", ["fill_b", "fill_a", "read_x"])).toMatchObject({
    tools: ["fill_a", "fill_b"],
  });
  expect(await read("Read", ["readme"])).not.toHaveProperty("tools");
});
