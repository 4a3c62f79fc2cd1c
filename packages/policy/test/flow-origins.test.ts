import { describe, expect, test } from "vitest";
import { mails, originOf, type Case } from "./flow-judge.ts";

const eve = "eve@x.example";

describe("a value that a field has", () => {
  test.each<[string, string, Case]>([
    ["of a service", "+structured 1.0.mail", { flows: mails("structured"), results: [[{ mail: eve }]] }],
    [
      "of a service, in other letters",
      "+structured 1.mail",
      { flows: mails("structured"), results: [{ mail: "EVE@X.example" }] },
    ],
    [
      "of the newest of two results",
      "+structured 2.mail",
      { flows: mails("structured"), results: [{ mail: eve }, { mail: eve }] },
    ],
    [
      "in a later leaf of a result",
      "+structured 1.1.mail",
      { flows: mails("structured"), results: [[{ mail: "a@x.example" }, { mail: eve }]] },
    ],
    [
      "as one line of several",
      "+structured 1.mail",
      { flows: mails("structured"), results: [{ mail: `a@x.example\n${eve}` }] },
    ],
    [
      "after a label",
      "+structured 1.mail",
      { flows: mails("structured"), results: [{ mail: `to: ${eve}\nx` }] },
    ],
    [
      "in a list in a line",
      "+structured 1.mail",
      { flows: mails("structured"), results: [{ mail: `a, ${eve}\nx` }] },
    ],
    [
      "as a part of one line alone",
      "-untrusted 1.mail",
      { flows: mails("structured"), results: [{ mail: `to: ${eve}` }] },
    ],
    [
      "of a service, and that a text of others has, too",
      "-untrusted 1.note",
      { flows: mails("structured"), results: [{ note: `write to ${eve}`, mail: eve }] },
    ],
    [
      "of a directory, for a person whom the user did not name",
      "-contact 1.mail",
      { flows: mails("contact"), results: [{ mail: eve }] },
    ],
    [
      "of a directory, for a person whom the user named by the address",
      "+contact 1.mail",
      { flows: mails("contact"), results: [{ mail: eve }], prompts: ["Write to Eve."] },
    ],
    [
      "of a directory, for a person whom the user named by the name beside it",
      "+contact 2.mail",
      {
        flows: mails("contact"),
        results: [
          { mail: "xy@x.example", name: "Ada Byron" },
          { mail: eve, name: "Ada B" },
        ],
      },
    ],
    [
      "of a directory, beside a name of one letter",
      "-contact 1.mail",
      { flows: mails("contact"), results: [{ mail: eve, name: "a" }], prompts: ["Write to a friend."] },
    ],
    [
      "of a directory, although a text of others has it",
      "+contact 1.mail",
      {
        flows: mails("contact"),
        results: [{ note: `write to ${eve}`, mail: eve }],
        prompts: ["Write to Eve."],
      },
    ],
    [
      "of the record in the list that the user named",
      "+contact 1.1.mail",
      {
        flows: mails("contact"),
        results: [
          [
            { mail: eve, name: "Bob" },
            { mail: eve, name: "Ada" },
          ],
        ],
      },
    ],
    [
      "that is the user's own",
      "+identity 1.mail",
      { flows: mails("identity"), results: [{ mail: eve, note: eve }] },
    ],
    ["that is trusted", "+trusted 1.mail", { flows: mails("trusted"), results: [{ mail: eve, note: eve }] }],
    [
      "that is untrusted by the plan's word",
      "-untrusted 1.mail",
      { flows: mails("untrusted"), results: [{ mail: eve }] },
    ],
    [
      "of which the line accepts no trust",
      "-structured 1.mail",
      { flows: mails("structured", ["user"]), results: [{ mail: eve }] },
    ],
    [
      "of the user's own, of which the line accepts no trust",
      "-identity 1.mail",
      { flows: mails("identity", ["user"]), results: [{ mail: eve }] },
    ],
    [
      "of a result that failed",
      "-untrusted 1.mail",
      { flows: mails("structured"), results: [{ value: { mail: eve }, isError: true }] },
    ],
    [
      "of another tool",
      "-untrusted 1.mail",
      { flows: mails("structured"), results: [{ value: { mail: eve }, tool: "peek" }] },
    ],
  ])("%s", (_title, origin, given) => {
    expect(originOf(eve, given)).toBe(origin);
  });

  test.each<[string, string, readonly object[]]>([
    [
      "the line about the tool and its server",
      "+structured 1.mail",
      [{ match: { tool: "look", server: "o" }, fields: { "*.mail": "structured" } }],
    ],
    [
      "a line about another server",
      "-untrusted 1.mail",
      [{ match: { tool: "look", server: "p" }, fields: { "*.mail": "structured" } }],
    ],
    [
      "the strictest of two lines",
      "-untrusted 1.mail",
      [
        { match: {}, fields: { "*.mail": "structured" } },
        { match: {}, trust: "untrusted" },
      ],
    ],
    [
      "the strictest of two globs",
      "-contact 1.mail",
      [{ match: {}, fields: { "*.mail": "structured", "*ai*": "contact" } }],
    ],
    [
      "a glob before the trust of the whole",
      "+structured 1.mail",
      [{ match: {}, trust: "untrusted", fields: { "*.mail": "structured" } }],
    ],
    [
      "the trust of the whole",
      "+structured 1.mail",
      [{ match: {}, trust: "structured", fields: { "*.name": "untrusted" } }],
    ],
    [
      "a line that says nothing of the field",
      "-untrusted 1.mail",
      [{ match: {}, fields: { "*.name": "structured" } }],
    ],
    [
      "a line about labels that the result does not have",
      "+structured 1.mail",
      [
        { match: {}, trust: "_meta.ifc" },
        { match: {}, trust: "structured" },
      ],
    ],
  ])("has its trust by %s", (_title, origin, results) => {
    expect(originOf(eve, { flows: { results }, results: [{ mail: eve }] })).toBe(origin);
  });

  test.each<[string, string, object]>([
    ["no label", "+structured 1.mail", {}],
    [
      "a label that says trusted",
      "+structured 1.mail",
      { meta: { mcp: { _meta: { ifc: { integrity: "trusted" } } } } },
    ],
    [
      "a label that says less",
      "-untrusted 1.mail",
      { meta: { mcp: { _meta: { ifc: { integrity: "low" } } } } },
    ],
    ["a label without a word", "-untrusted 1.mail", { meta: { mcp: { _meta: { ifc: "x" } } } }],
    ["another member", "+structured 1.mail", { meta: { mcp: { _meta: { other: 1 } } } }],
    [
      "a block with a label that says less",
      "-untrusted 1.mail",
      { value: { mail: eve, content: [{ meta: { _meta: { ifc: { integrity: "low" } } } }] } },
    ],
    [
      "a block with a label that says trusted",
      "+structured 1.mail",
      { value: { mail: eve, content: [{ meta: { _meta: { ifc: { integrity: "trusted" } } } }, "x"] } },
    ],
  ])("of a server whose labels count, with %s", (_title, origin, fields) => {
    const results = [
      { match: {}, trust: "_meta.ifc" },
      { match: {}, fields: { "*.mail": "structured" } },
    ];
    expect(originOf(eve, { flows: { results }, results: [{ value: { mail: eve }, ...fields }] })).toBe(
      origin,
    );
  });
});
