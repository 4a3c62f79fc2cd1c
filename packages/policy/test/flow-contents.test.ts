import type { Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { judge, look, type Given } from "./flow-judge.ts";

/** The part of a content that is not the user's, where it is from, and whether only the user may see it. */
function foreignIn(
  body: Json,
  { results = [], ...given }: Omit<Given, "results"> & { results?: readonly Json[] } = {},
) {
  const kept = results.map((value, at) => look(value, { call: at + 1 }));
  const answer = judge({ body }, { ...given, results: kept });
  if (answer?.answer !== "ask") return null;
  const { value, origin, from } = answer.origins!.at(-1)!;
  const place =
    from === undefined ? "" : ` ${from.call}${from.path}${from.line === undefined ? "" : `:${from.line}`}`;
  const isPrivate = answer.reason.endsWith("only you may see it");
  return `${origin}${place} ${value}${isPrivate ? " (private)" : ""}`;
}

describe("an address in content", () => {
  const said =
    "Take a.example.com/x?y or eve@x.example or www.b-c.example or +49 (30) 1234-567 or AB12345678 or book.pdf";
  test.each<[string, string, string | null]>([
    ["a link", "see https://a.example.com/x?y.", "untrusted 1 https://a.example.com/x?y"],
    ["a host with a path", "see a.example.com/x?y!", "untrusted 1 a.example.com/x?y"],
    ["a mail address", "to eve@x.example,", "untrusted 1 eve@x.example"],
    ["a host with www", "see (www.b-c.example)", "untrusted 1 www.b-c.example"],
    ["a telephone number", "call +49 (30) 1234-567", "untrusted 1 +49 (30) 1234-567"],
    ["a code", "use AB12345678 now", "untrusted 1 AB12345678"],
    ["a code of seven", "use AB12345", null],
    ["a word of eight letters", "use somewhat", null],
    ["a name of a file", "see notes.md and main.py", null],
    ["a file that a result names", "see book.pdf", null],
    ["a word", "Hello there", null],
    ["a day", "on 2026-05-05", null],
    ["a mail address that no result has", "to bob@x.example", "composed bob@x.example"],
    ["a link that no result has", "see https://b.example/", "composed https://b.example/"],
    ["a host that no result has", "see b.example.org", null],
    ["a number that no result has", "call 030 7654321", null],
  ])("%s: %j", (_title, body, found) => {
    expect(foreignIn(body, { results: [said] })).toBe(found);
  });

  test.each<[string, string, Omit<Given, "results">]>([
    ["the user wrote", "to eve@x.example", { prompts: ["Write to eve@x.example"] }],
    ["the plan names", "to eve@x.example", { flows: { identity: ["eve@x.example"] } }],
  ])("that %s is theirs", (_title, body, given) => {
    expect(foreignIn(body, { ...given, results: [said] })).toBeNull();
  });

  test.each<[string, string | null]>([
    ["structured", null],
    ["contact", null],
    ["trusted", null],
    ["identity", null],
    ["untrusted", "untrusted 1.mail eve@x.example"],
  ])("that is the whole of a field, which is %s: %s", (trust, found) => {
    const flows = { results: [{ match: {}, fields: { "*.mail": trust } }] };
    expect(foreignIn("to eve@x.example", { flows, results: [{ mail: "eve@x.example" }] })).toBe(found);
  });

  test.each<[string, string | null]>([
    ["structured", "untrusted 1.mail eve@x.example"],
    ["contact", "untrusted 1.mail eve@x.example"],
    ["trusted", "composed eve@x.example"],
  ])("that is a part of a field, which is %s: %s", (trust, found) => {
    const flows = { results: [{ match: {}, fields: { "*.mail": trust } }] };
    expect(foreignIn("to eve@x.example", { flows, results: [{ mail: "ask eve@x.example now" }] })).toBe(
      found,
    );
  });

  test("in code is found, on either side", () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    expect(foreignIn("to eve@x.example", { results: [base64("write to eve@x.example")] })).toBe(
      "untrusted 1 eve@x.example",
    );
    expect(foreignIn(`so: ${base64("write to eve@x.example")}`, { results: ["it is eve@x.example"] })).toBe(
      "untrusted 1 eve@x.example",
    );
  });
});

describe("words in content", () => {
  const said = "one two three four five six";
  test.each<[string, Json, string | null]>([
    ["five in a row", "I say: one two three four five!", "untrusted 1 one two three four five"],
    ["four in a row", "I say: one two three four and no more", null],
    ["five in another order", "five four three two one", null],
    ["all of a short text", "two three", "untrusted 1 two three"],
    ["one word", "two", null],
    [
      "in the second of two texts",
      ["hello", "two three four five six"],
      "untrusted 1 two three four five six",
    ],
    ["a number", 12, null],
  ])("%s", (_title, body, found) => {
    expect(foreignIn(body, { results: [said] })).toBe(found);
  });

  test("are the user's where the user wrote them", () => {
    expect(foreignIn("one two three four five", { results: [said], prompts: [`Say: ${said}`] })).toBeNull();
  });

  test("are found across the lines of a text, and in the part of a result that has them", () => {
    expect(foreignIn("two three four five six", { results: ["one two three\nfour five six"] })).toBe(
      "untrusted 1 two three four five six",
    );
    expect(foreignIn("to eve@x.example", { results: [["nothing here", "write to eve@x.example"]] })).toBe(
      "untrusted 1.1 eve@x.example",
    );
  });

  test("are found in the result and on the line that has them", () => {
    const results = ["nothing", { note: `first line\n${said}\nlast` }];
    expect(foreignIn("two three four five six", { results })).toBe(
      "untrusted 2.note:2 two three four five six",
    );
    expect(foreignIn("two three four five six", { results: [said, said] })).toMatch(/^untrusted 1 /);
  });

  test("of a field of a service are a value as a whole, and a copy in part", () => {
    const flows = { results: [{ match: {}, fields: { "*.street": "structured" } }] };
    const results = [{ street: said }];
    expect(foreignIn(`at ${said}`, { flows, results })).toBeNull();
    expect(foreignIn("at one two three four five", { flows, results })).toBe(
      "untrusted 1.street one two three four five",
    );
  });

  test("of a result that only the user sees are found whatever their trust", () => {
    const flows = (trust: string) => ({
      results: [{ match: {}, audience: "user", fields: { "*.own": trust } }],
    });
    for (const trust of ["untrusted", "contact", "structured", "identity", "trusted"])
      expect(foreignIn(`so ${said}`, { flows: flows(trust), results: [{ own: said }] })).toBe(
        "untrusted 1.own one two three four five (private)",
      );
  });
});

describe("a value of a result that only the user sees", () => {
  test.each(["untrusted", "contact", "structured", "identity", "trusted"])(
    "is found where it is %s",
    (trust) => {
      const flows = { results: [{ match: {}, audience: "user", fields: { "*.own": trust } }] };
      expect(foreignIn("it is AB12345678", { flows, results: [{ own: "AB12345678" }] })).toBe(
        "untrusted 1.own AB12345678 (private)",
      );
    },
  );
});

describe("who sees the content", () => {
  const body = "to eve@x.example";
  const audience = (value: unknown) => ({
    identity: ["me@x.example"],
    into: [{ match: {}, control: [], audience: value }],
  });
  test.each<[string, object, unknown, boolean]>([
    ["only the user", {}, "user", false],
    ["people who are the user", { to: "me@x.example", cc: "me@x.example" }, ["to", "cc"], false],
    ["people who are not all the user", { to: "me@x.example", cc: "bob@x.example" }, ["to", "cc"], true],
    ["people whom the call does not name", {}, ["to"], false],
  ])("%s: %j", (_title, given, value, asks) => {
    const answer = judge({ body, ...given }, { flows: audience(value), results: [look(body)] });
    expect(answer?.answer === "ask").toBe(asks);
  });
});
