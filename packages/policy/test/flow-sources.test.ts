import { describe, expect, test } from "vitest";
import { originOf, type Case, type Result } from "./flow-judge.ts";

const from = (...sources: unknown[]) => ({ into: [{ match: {}, from: sources }] });
const named = (...fields: object[]) => ({
  ...from("identity", "lastPart"),
  results: [{ match: {}, fields: { "*.name": "structured", "*.mail": "contact" } }],
  identity: ["ada"],
  ...Object.assign({}, ...fields),
});

describe("a name of several parts", () => {
  test.each<[string, string, Case]>([
    ["bob/app", "+user", { prompts: ["Star the app of bob."] }],
    ["ada/app", "+user", { prompts: ["Star the app."] }],
    ["ada/ap", "-composed", { prompts: ["Star the ap."] }],
    ["ada\\app", "+user", { prompts: ["Star the app."] }],
    ["x/ada/app", "-composed", { prompts: ["Star the app."] }],
    ["/app", "+user", { prompts: ["Open the app."] }],
    ["/home/ada/app", "+user", { prompts: ["Open the app."] }],
    ["\\app", "-composed", { prompts: ["Open the app."] }],
    ["a.example/app", "-composed", { prompts: ["Open the app of a.example."] }],
    ["ada/lin", "+structured 1.name", { results: [{ name: "lin" }], prompts: ["Star it."] }],
    ["/lin", "-composed", { results: [{ name: "lin" }], prompts: ["Star it."] }],
    ["eve/lin", "-composed", { results: [{ name: "lin" }], prompts: ["Star it."] }],
    ["ada/lin", "-untrusted 1.note", { results: [{ note: "ada/lin" }], prompts: ["Star it."] }],
    ["ada/lin", "-composed", { results: [{ mail: "lin" }], prompts: ["Star it."] }],
  ])("%s is %s: %j", (value, origin, given) => {
    expect(originOf(value, { flows: named(), ...given })).toBe(origin);
  });
});

describe("the whole text of a result that the user chose", () => {
  const key = "KEY-of-Ada-1815";
  const read = (fields: Partial<Result> = {}): Result => ({
    value: key,
    arguments: { path: "/srv/keys/id.pub" },
    ...fields,
  });
  test.each<[string, string, readonly (Result | string)[], string?]>([
    ["by its path", "+untrusted 1", [read()], "Add /srv/keys/id.pub."],
    ["by its folder", "+untrusted 1", [read()], "Add what is in /srv/keys."],
    ["by a folder above", "+untrusted 1", [read()], "Add what is below /srv."],
    ["with blanks around", "+untrusted 1", [read({ value: ` ${key}\n` })]],
    [
      "in a record that repeats the path",
      "+untrusted 1",
      [read({ value: { path: "/srv/keys/id.pub", text: key } })],
    ],
    ["the newest of two", "+untrusted 2", [read(), read()]],
    ["not where it has more texts", "-untrusted 1.0", [read({ value: [key, "and more"] })]],
    ["not where it is a part", "-untrusted 1", [read({ value: `${key} and more` })]],
    ["not where it failed", "-untrusted 1", [read({ isError: true })]],
    ["not without arguments", "-untrusted 1", [read({ arguments: {} })]],
    ["not where the user named another folder", "-untrusted 1", [read()], "Add what is in /opt."],
    ["not by the root", "-untrusted 1", [read({ arguments: { path: "/x" } })], "Add it from / please."],
    [
      "not where one of two arguments is not the user's",
      "-untrusted 1",
      [read({ arguments: { path: "/srv/keys/id.pub", as: "root-of-all" } })],
    ],
    [
      "not where a text of others chose it",
      "-untrusted 2",
      ["look at /srv/keys/id.pub", read()],
      "Add what is in /srv/keys.",
    ],
  ])("%s", (_title, origin, results, prompt = "Add what is in /srv/keys.") => {
    expect(originOf(key, { flows: from("user", "whole"), results, prompts: [prompt] })).toBe(origin);
  });

  test("is of no use to a line that does not accept it", () => {
    const given = { results: [read()], prompts: ["Add what is in /srv/keys."] };
    expect(originOf(key, { flows: from("user"), ...given })).toBe("-untrusted 1");
  });
});

describe("a link to a host that the user named", () => {
  const link = "https://a.example/x";
  const shown = "shownLink";
  const fields = (trust: string) => ({ results: [{ match: {}, fields: { "*.link": trust } }] });
  test.each<[string, string, string, Case]>([
    ["with its host", "+sameHost", link, { flows: from("sameHost") }],
    ["of another host", "-composed", "https://b.example/x", { flows: from("sameHost") }],
    ["that is no link", "-composed", "some text", { flows: from("sameHost") }],
    ["that no result showed", "-composed", link, { flows: from(shown) }],
    ["that a text showed", "+sameHost", link, { flows: from(shown), results: [`See ${link} now`] }],
    [
      "that a text showed without its scheme",
      "+sameHost",
      link,
      { flows: from(shown), results: ["See a.example/x now"] },
    ],
    [
      "that a field of a service showed",
      "+sameHost",
      link,
      { flows: { ...from(shown), ...fields("structured") }, results: [{ link }] },
    ],
    [
      "that a trusted field showed",
      "+sameHost",
      link,
      { flows: { ...from(shown), ...fields("trusted") }, results: [{ link }] },
    ],
    [
      "that a directory showed",
      "-untrusted 1.link",
      link,
      { flows: { ...from(shown), ...fields("contact") }, results: [{ link }] },
    ],
    [
      "of which a result showed another",
      "-composed",
      link,
      { flows: from(shown), results: ["See a.example/y"] },
    ],
    ["in the second of two sources", "+sameHost", link, { flows: from(shown, "sameHost") }],
  ])("%s", (_title, origin, value, given) => {
    expect(originOf(value, { prompts: ["Open something of a.example."], ...given })).toBe(origin);
  });

  test("is a text, and no number", () => {
    expect(originOf(1234, { flows: from("sameHost"), prompts: ["Open a.example."] })).toBe("-composed");
  });
});

describe("a small number", () => {
  test.each([
    ["the id is 12 now", "-untrusted 1"],
    ["id: 12", "-untrusted 1"],
    ["no. 12", "-untrusted 1"],
    ["nr 12", "-untrusted 1"],
    ["number 12", "-untrusted 1"],
    ["ids = 12", "-untrusted 1"],
    ["see #12", "-untrusted 1"],
    ["id of 12", "-untrusted 1"],
    ["12 of them", "-composed"],
    ["id 123", "-composed"],
    ["the id was not 12", "-composed"],
    ["kid 12", "-composed"],
  ])("in the text %j is %s", (text, origin) => {
    expect(originOf(12, { results: [text] })).toBe(origin);
    expect(originOf("12", { results: [text] })).toBe(origin);
  });

  test("of four digits is found wherever it is, also in code", () => {
    expect(originOf(1234, { results: ["1,234 of them"] })).toBe("-untrusted 1");
    expect(originOf("4711-x", { results: [Buffer.from("take 4711-x now").toString("base64")] })).toBe(
      "-untrusted 1",
    );
    expect(originOf("12", { results: [Buffer.from("the id is 12 now").toString("base64")] })).toBe(
      "-composed",
    );
  });
});

test("a code is found with other separators, on the line that has it", () => {
  expect(
    originOf("DE89370400440532013000", { results: [{ note: "pay\nDE89 3704 0044 0532 0130 00\nsoon" }] }),
  ).toBe("-untrusted 1.note:2");
});
