import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addEntries, planPolicyRules, removeEntry } from "../../src/edit/edit-plan.ts";
import { workspace } from "../support/workspace.ts";

const plan = `{ // mine
  "version": 1,
  "tools": [
    { "module": "./a.mjs" }, // first
    { "module": "./b.mjs" }
  ],
  // never write
  "policy": { "deny": ["write_file"] }
}
`;

async function edited(text: string, edit: (file: string) => Promise<unknown>): Promise<string> {
  const { folder } = await workspace({ "plan.json": text });
  const file = join(folder, "plan.json");
  await edit(file);
  return await readFile(file, "utf8");
}

test("an entry is added to a JSON plan as JSON, and its comments stay", async () => {
  const text = await edited(plan, (file) => addEntries(file, [{ module: "./c.mjs" }], { cwd: "/" }));

  expect(text).toContain("{ // mine\n");
  expect(text).toContain("// never write\n");
  expect(text.replaceAll(/\s/g, "")).toContain('//first{"module":"./b.mjs"},{"module":"./c.mjs"}],');
});

test("a removed entry and a new line of a policy leave the rest of a JSON plan as it is", async () => {
  const text = await edited(plan, async (file) => {
    await removeEntry(file, "./b.mjs", { cwd: "/" });
    const edit = await planPolicyRules(file, { deny: ["bash"], ask: ["pay"] }, { cwd: "/" });
    await edit.save();
  });

  expect(text).toContain("// never write\n");
  expect(text).not.toContain("b.mjs");
  expect(text.replaceAll(/\s/g, "")).toContain('"deny":["write_file","bash"],"ask":["pay"]}');
});
