import { expect, test } from "vitest";
import { mutateFlows } from "../../src/plan-tests/mutate-flows.ts";

const line = { tool: "send", from: ["user"] };

/** What is done to the only line of a list, and the line that is left of it. */
function changed(list: "identity" | "results" | "into", written: object) {
  const flows = { strict: true, [list]: [written] } as never;
  const policy = { level: "standard", flows };
  return mutateFlows({ version: 1, policy }, policy).map(({ plan, path, change }) => {
    const { flows: left, ...rest } = plan["policy"] as Record<string, Record<string, unknown[]>>;
    const { [list]: lines, ...others } = left!;
    expect([plan["version"], rest, others, path]).toEqual([
      1,
      { level: "standard" },
      { strict: true },
      ["policy", "flows", list, 0],
    ]);
    return [change, ...lines!];
  });
}

test("a line of identity is taken out", () => {
  expect(changed("identity", { tool: "me" })).toEqual([["removed"]]);
});

test("a line of into gets the other answer, and loses what it asks of the value", () => {
  expect(changed("into", line)).toEqual([["ask → deny", { ...line, else: "deny" }]]);
  expect(changed("into", { ...line, else: "deny" })).toEqual([["deny → ask", { ...line, else: "ask" }]]);
  expect(changed("into", { ...line, intent: "pay", audience: "to" })).toEqual([
    ["ask → deny", { ...line, intent: "pay", audience: "to", else: "deny" }],
    ["without intent", { ...line, audience: "to" }],
    ["without audience", { ...line, intent: "pay" }],
  ]);
});

test("a line of results gets the other trust, as a whole and in each field, and loses its audience", () => {
  const results = {
    tool: "find",
    trust: "trusted",
    fields: { id: "structured", text: "untrusted" },
    audience: "to",
  };

  expect(changed("results", results)).toEqual([
    ["trusted → untrusted", { ...results, trust: "untrusted" }],
    ["id: structured → untrusted", { ...results, fields: { ...results.fields, id: "untrusted" } }],
    ["text: untrusted → trusted", { ...results, fields: { ...results.fields, text: "trusted" } }],
    ["without audience", { tool: "find", trust: "trusted", fields: results.fields }],
  ]);
  expect(changed("results", { tool: "find", trust: "untrusted" })).toEqual([
    ["untrusted → trusted", { tool: "find", trust: "trusted" }],
  ]);
});

test("a line of results that only has an audience is taken out", () => {
  expect(changed("results", { tool: "find", audience: "to" })).toEqual([["removed"]]);
});

test("each line is changed alone, and lists that are not there are none", () => {
  const flows = { into: [line, { ...line, tool: "pay" }], results: "x" };
  const found = mutateFlows({ policy: { flows } }, { flows });

  expect(found.map(({ path }) => path)).toEqual([
    ["policy", "flows", "into", 0],
    ["policy", "flows", "into", 1],
  ]);
  expect(found.map(({ plan }) => (plan["policy"] as { readonly flows: unknown }).flows)).toEqual([
    {
      into: [
        { ...line, else: "deny" },
        { ...line, tool: "pay" },
      ],
      results: "x",
    },
    { into: [line, { ...line, tool: "pay", else: "deny" }], results: "x" },
  ]);
});
