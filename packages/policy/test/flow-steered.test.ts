import type { Json } from "@toolmount/core";
import { mask } from "@toolmount/core/text";
import { describe, expect, test } from "vitest";
import { mails, originOf, type Case, type Result } from "./flow-judge.ts";

const eve = "eve@x.example";

describe("a result that other people's text chose", () => {
  const flows = mails("structured");
  const chosen = (given: object, first: Json = "look at the list of ghosts", more: Case = {}) =>
    originOf(eve, { flows, results: [first, { value: { mail: eve }, arguments: given as never }], ...more });

  test.each<[string, string, object, Json, Case]>([
    ["by a word of a text", "-structured 2.mail", { list: "ghosts" }, "look at the list of ghosts", {}],
    ["by a masked secret", "-structured 2.mail", { list: `a ${mask} b` }, "x", {}],
    [
      "by an encoded word",
      "-structured 2.mail",
      { list: "ghosts-of-old" },
      `see ${Buffer.from("ghosts-of-old").toString("base64")}`,
      {},
    ],
    [
      "not where no text has the word",
      "+structured 2.mail",
      { list: "people" },
      "look at the list of ghosts",
      {},
    ],
    [
      "not where the user wrote it",
      "+structured 2.mail",
      { list: "ghosts" },
      "look at ghosts",
      { prompts: ["Which ghosts?"] },
    ],
    [
      "not where it is the user's own",
      "+structured 2.mail",
      { list: "ghosts" },
      "look at ghosts",
      { flows: { ...flows, identity: ["ghosts"] } },
    ],
    ["by a number", "-structured 2.mail", { list: 12345 }, "look at 12345", {}],
    ["not by an empty text", "+structured 2.mail", { list: "" }, "look at", {}],
    ["not by a value of a service", "+structured 2.mail", { list: "ghosts" }, { mail: "ghosts" }, {}],
  ])("%s", (_title, origin, given, first, more) => {
    expect(chosen(given, first, more)).toBe(origin);
  });

  test("nor one that a value of such a result chose, unless another result has the value, too", () => {
    const results: (Json | Result)[] = [
      "look at ghosts",
      { value: { mail: "list-7" }, arguments: { list: "ghosts" } },
      { value: { mail: eve }, arguments: { list: "list-7" } },
    ];
    expect(originOf(eve, { flows, results })).toBe("-structured 3.mail");
    expect(originOf(eve, { flows, results: [{ mail: "list-7" }, ...results] })).toBe("+structured 4.mail");
  });
});
