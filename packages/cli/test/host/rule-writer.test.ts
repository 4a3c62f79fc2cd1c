import { expect, test } from "vitest";
import { createRuleWriter } from "../../src/host/rule-writer.ts";
import { atTerminal, keys, ready, type AtTerminal } from "../support/terminal.ts";
import { planOf, removingTool, workspace } from "../support/workspace.ts";

const remove = removingTool("remove_note");

test("write a rule: the person chooses the calls and the file, sees the change, and the rule holds", async () => {
  const plan = `${planOf("./remove.ts")}# a comment stays\n`;
  const {
    folder,
    here: run,
    read,
  } = await workspace({
    "mount-plan.yaml": plan,
    "mount-plan.local.yaml": "version: 1\n",
    "remove.ts": remove,
  });
  const terminal = atTerminal(["call", "--env", "local", "remove_note", "path=notes/old.txt"], {
    cwd: folder,
  });
  await terminal.until(/r {2}Approve, and write a rule[\s\S]*└ {2}Press /);
  terminal.press("r");
  await terminal.until(
    /Never ask again about which calls\?[\s\S]*remove_note\(notes\/old\.txt\)[\s\S]*remove_note/,
  );
  terminal.press(keys.enter);
  await terminal.until(/Into which file\?[\s\S]*mount-plan\.local\.yaml[\s\S]*mount-plan\.yaml/);
  terminal.press(keys.down, keys.enter);
  await terminal.until(
    /\+ policy:[\s\S]*remove_note\(notes\/old\.txt\)[\s\S]*Write this to mount-plan\.yaml\?[\s\S]*└ {2}Press /,
  );
  expect(await read("mount-plan.yaml")).toBe(plan);
  terminal.press("y");
  expect(await terminal.ended, terminal.text()).toBe(0);
  const same = await run(["call", "remove_note", "path=notes/old.txt", "--json"]);
  const other = await run(["call", "remove_note", "path=notes/new.txt", "--json"]);

  expect(terminal.text()).toContain("✔ ok remove_note");
  expect(await read("mount-plan.yaml")).toContain("# a comment stays");
  expect([same.json()["status"], other.json()["status"]]).toEqual(["ok", "pending"]);
});

test("a change that is not agreed to is not written, and the question is asked again", async () => {
  const plan = planOf("./remove.ts");
  const { folder, read } = await workspace({ "mount-plan.yaml": plan, "remove.ts": remove });
  const terminal = atTerminal(["call", "remove_note", "path=a"], { cwd: folder });
  await declineRule(terminal);

  expect(await terminal.ended, terminal.text()).toBe(1);
  expect(await read("mount-plan.yaml")).toBe(plan);
});

test("a value that begins with a sign of a pattern is not offered as one: it would allow all others", async () => {
  const { folder } = await workspace({ "mount-plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  const terminal = atTerminal(["call", "remove_note", "path=!secret"], { cwd: folder });
  const shown = await declineRule(terminal);

  expect(await terminal.ended).toBe(1);
  expect(shown).not.toContain("remove_note(!secret)");
});

/** Asks to write a rule, takes what is offered first, refuses the change, and then the call. Returns what was offered. */
async function declineRule(terminal: AtTerminal): Promise<string> {
  await terminal.until(/r {2}Approve, and write a rule[\s\S]*└ {2}Press /);
  terminal.press("r");
  const offered = await terminal.until(/which calls\?[\s\S]*remove_note/);
  terminal.press(keys.enter);
  await terminal.until(/Write this to mount-plan\.yaml\?[\s\S]*└ {2}Press /);
  terminal.press("n");
  await terminal.until(/if you approve[\s\S]*if you approve[\s\S]*└ {2}Press /);
  terminal.press("n");
  return offered;
}

test("where a rule asks, no rule that allows is offered", async () => {
  const { folder } = await workspace({
    "mount-plan.yaml": `${planOf("./remove.ts")}policy: { ask: [remove_note] }\n`,
    "remove.ts": remove,
  });
  const terminal = atTerminal(["call", "remove_note", "path=a"], { cwd: folder });
  const shown = await terminal.until(ready);
  terminal.press("n");

  expect(await terminal.ended).toBe(1);
  expect(shown).not.toContain("write a rule");
});

test.each([
  [["confirmation"], true],
  [["level", "confirmation"], true],
  [["list"], false],
  [["confirmation", "gate"], false],
  [["rule"], false],
])("a question of %j can end with a rule: %s", (sources, fits) => {
  const rules = createRuleWriter("/");
  rules.opened({ plan: { files: ["mount-plan.yaml"] } } as never);

  expect(rules.fits({ reasons: sources.map((source) => ({ source, reason: "" })) } as never)).toBe(fits);
});
