import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addEntries, planPolicyRules, removeEntry } from "../../src/edit/edit-plan.ts";
import { workspace } from "../support/workspace.ts";

const plan = `# Mine, and only mine.
version: 1
tools:
  # Files first.
  - module: filesystem # everything
    config: { root: ., deep: [1, 2] }

  - module: web
    id: net
hooks: [] # none yet
`;

async function edited(text: string, edit: (file: string) => Promise<unknown>) {
  const { folder } = await workspace({ "plan.yaml": text });
  const file = join(folder, "plan.yaml");
  await edit(file);
  return { text: await readFile(file, "utf8") };
}

test("an entry is added at the end of its list, and every comment stays", async () => {
  const { text } = await edited(plan, (file) =>
    addEntries(file, [{ module: "@acme/x", source: "npm:@acme/x@^1", config: { a: "${KEY}" } }], {
      cwd: "/",
    }),
  );

  expect(text).toBe(
    `# Mine, and only mine.
version: 1
tools:
  # Files first.
  - module: filesystem # everything
    config: { root: ., deep: [1, 2] }

  - module: web
    id: net
  - module: "@acme/x"
    source: npm:@acme/x@^1
    config:
      a: \${KEY}
hooks: [] # none yet
`.replace("[ 1, 2 ]", "[1, 2]"),
  );
});

test("an entry is added to an empty list, and to a plan without the list", async () => {
  const one = await edited(plan, (file) =>
    addEntries(file, [{ module: "h" }], { cwd: "/", section: "hooks" }),
  );
  const two = await edited("version: 1\n", (file) => addEntries(file, [{ module: "t" }], { cwd: "/" }));

  expect(one.text).toContain("hooks:\n  - module: h\n");
  expect(one.text).toContain("# none yet");
  expect(two.text).toBe("version: 1\ntools:\n  - module: t\n");
});

test("an entry that exists is not changed, and the file is not written", async () => {
  const { folder } = await workspace({ "plan.yaml": plan });
  const file = join(folder, "plan.yaml");
  const before = await stat(file);
  const report = await addEntries(file, [{ module: "filesystem" }, { module: "other", id: "net" }], {
    cwd: "/",
  });

  expect(report).toMatchObject({ added: [], kept: ["filesystem", "net"] });
  expect((await stat(file)).ino).toBe(before.ino);
});

test("an entry is removed by its id, with its comments", async () => {
  const { text } = await edited(plan, (file) => removeEntry(file, "net", { cwd: "/" }));

  expect(text).toBe(plan.replace("  - module: web\n    id: net\n", ""));
  await expect(edited(plan, (file) => removeEntry(file, "nett", { cwd: "/" }))).rejects.toMatchObject({
    code: "PLAN_VALUE_INVALID",
    message: expect.stringContaining('did you mean "net"?') as string,
  });
});

test("lists without indentation stay so", async () => {
  const { text } = await edited("tools:\n- module: a\n", (file) =>
    addEntries(file, [{ module: "b" }], { cwd: "/" }),
  );

  expect(text).toBe("tools:\n- module: a\n- module: b\n");
});

test("a file that is not a plan is not edited", async () => {
  await expect(
    edited("a: [", (file) => addEntries(file, [{ module: "b" }], { cwd: "/" })),
  ).rejects.toMatchObject({ code: "PLAN_INVALID" });
});

test("what an editor writes while a module is tried, or while a person reads, stays", async () => {
  const { folder } = await workspace({ "plan.yaml": "version: 1\ntools:\n  - module: a\n" });
  const file = join(folder, "plan.yaml");
  const options = {
    cwd: "/",
    check: async () => {
      await appendFile(file, "  - module: c # mine\n");
      return [];
    },
  };
  const added = await addEntries(file, [{ module: "b" }, { module: "c" }], options);
  const edit = await planPolicyRules(file, { deny: ["bash(rm *)"] }, { cwd: "/" });
  await appendFile(file, "name: mine\n");
  await edit.save();

  expect([added.added, added.kept]).toEqual([["b"], ["c"]]);
  expect(await readFile(file, "utf8")).toBe(
    `version: 1
tools:
  - module: a
  - module: c # mine
  - module: b
name: mine
policy:
  deny:
    - bash(rm *)
`,
  );
});
