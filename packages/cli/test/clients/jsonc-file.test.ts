import fc from "fast-check";
import { expect, test } from "vitest";
import { editClientText, parseClientFile } from "../../src/clients/client-file.ts";

const text = `// mine
{
  "theme": "One", // best
  "servers": {
    "docs": { "command": "npx", "env": {}, },
    // second, with a comma
    "files": { "command": "node" }, /* , */
  },
  "vim": true,
}
`;
const edit = (given: string, name: string, value?: object) =>
  editClientText(given, ["servers", name], value, "settings.json");

test("a server leaves and enters JSON with commas after the last members; every other line stays", async () => {
  const without = await edit(text, "files");
  expect(without).toContain('    "docs": { "command": "npx", "env": {}, }, /* , */\n  }');
  const none = await edit(without, "docs");
  expect(await parseClientFile(none, "settings.json")).toEqual({ theme: "One", servers: {}, vim: true });

  const with1 = await edit(none, "toolmount", { command: "toolmount" });
  expect(await parseClientFile(with1, "settings.json")).toEqual({
    theme: "One",
    servers: { toolmount: { command: "toolmount" } },
    vim: true,
  });
  for (const line of ["// mine", '  "theme": "One", // best', '  "vim": true,\n}'])
    for (const edited of [without, none, with1]) expect(edited).toContain(line);
});

const comma = fc.constantFrom("", ",", " ,", ", // c\n", " /* , */ ,", "/* x */");
const member = fc
  .tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("{}", '{ "k": [1,2,], }', "5", '"x,}"'))
  .map(([name, value]) => [name, `"${name}": ${value}`] as const);
const files = fc
  .tuple(fc.uniqueArray(member, { selector: ([name]) => name }), comma, comma, fc.boolean())
  .map(([members, inner, outer, hasList]) => {
    const last = (list: readonly string[], end: string) =>
      list.length === 0 ? end.replaceAll(/(?<!\* ),(?! \*)/g, "") : `${list.join(", ")}${end}`;
    const list = `"servers": {\n ${last(
      members.map(([, shown]) => shown),
      inner,
    )} }`;
    return `{ ${last(['"z": 1', ...(hasList ? [list] : [])], outer)} }`;
  });
const edits = fc.array(
  fc.tuple(fc.constantFrom("a", "b", "d"), fc.constantFrom(undefined, { command: "x" })),
  { maxLength: 4 },
);

test("after any edits of any file, it says what it said before, and what was edited", async () => {
  await fc.assert(
    fc.asyncProperty(files, edits, async (file, made) => {
      let now = file;
      const expected = structuredClone(await parseClientFile(file, "a.json")) as {
        servers?: Record<string, unknown>;
      };
      for (const [name, value] of made) {
        now = await edit(now, name, value);
        if (value !== undefined) (expected.servers ??= {})[name] = value;
        else if (expected.servers) delete expected.servers[name];
      }
      expect(await parseClientFile(now, "a.json")).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
