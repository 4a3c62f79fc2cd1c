import { expect, test } from "vitest";
import { codeOfPerson, pathOfPerson, shownEnvironment, toPerson } from "../../src/layer/person-paths.ts";

const folder = "/nonexistent/a b";
const person = `${folder}/.toolmount/person`;

test.each([
  ["--require ./hook.cjs --import=tsx", `--require "${person}/hook.cjs" --import=tsx`],
  ["--require=../other/x.js", "--require=/nonexistent/other/x.js"],
  ["-r /nonexistent/x.js -C a/b", "-r /nonexistent/x.js -C a/b"],
  ['--require "./my hook.cjs"', `--require "${person}/my hook.cjs"`],
  [`--require="${folder}/a\\"b.cjs"`, `"--require=${person}/a\\"b.cjs"`],
  [
    "--import file:///nonexistent/a%20b/x.mjs?a=1#b",
    `--import file://${person.replace(" ", "%20")}/x.mjs?a=1#b`,
  ],
  [
    "--max-old-space-size=4096  --title=https://example.com//x",
    "--max-old-space-size=4096 --title=https://example.com//x",
  ],
])("what the options %s name in the folder is the person's", (given, own) => {
  expect(codeOfPerson(folder, "NODE_OPTIONS", given)).toBe(own);
});

test.each([
  ["NODE_PATH", `lib:.::/usr/lib:${folder}`, `${person}/lib:${person}:/usr/lib:${person}`],
  ["LD_PRELOAD", "libc.so ./own.so", `libc.so:${person}/own.so`],
  ["NODE_EXTRA_CA_CERTS", "./ca.pem", `${person}/ca.pem`],
  ["OPENSSL_CONF", `${folder}/x`, `${person}/x`],
  ["NODE_URL", "https://example.com//x", "https://example.com//x"],
])("what %s names in the folder is the person's", (name, given, own) => {
  expect(codeOfPerson(folder, name, given)).toBe(own);
});

test("a folder with a space is found in a text, as a whole part", () => {
  expect(pathOfPerson(folder, `${folder}:bin:/usr/bin`)).toBe(`${person}:/usr/bin`);
  expect(toPerson(folder, `a=${folder}/x:${folder}c:/x${folder}`)).toBe(
    `a=${person}/x:${folder}c:/x${folder}`,
  );
  const env = { PATH: `${person}:${person}/x`, OTHER: "a" };
  expect(shownEnvironment(folder, env)).toEqual({ PATH: `${folder}:${folder}/x`, OTHER: "a" });
});
