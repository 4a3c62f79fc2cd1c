import { expect, test } from "vitest";
import { describeTools, swapDescriptions } from "../../src/plan-evals/swap.ts";

const read = { name: "my_read", declaredName: "read", description: "Reads.", owner: "notes" };
const drop = { name: "drop", declaredName: "drop", description: "Drops.", owner: "notes" };
const send = { name: "send", declaredName: "send", description: "Sends.", owner: "./mail.ts" };

const written = {
  version: 1,
  tools: [
    { module: "@acme/notes", id: "notes", tools: { read: { rename: "my_read", description: "Old." } } },
    { module: "./mail.ts" },
    { module: "./other.ts", tools: { send: { hidden: true } } },
  ],
};

const hostOf = (plan: object) => ({ plan: { written: plan }, tools: () => [read, drop, send] }) as never;

test("two tools of two entries get each other's description, and all else of the plan stays", () => {
  expect(swapDescriptions(hostOf(written), ["my_read", "send"])).toEqual({
    version: 1,
    tools: [
      { module: "@acme/notes", id: "notes", tools: { read: { rename: "my_read", description: "Sends." } } },
      { module: "./mail.ts", tools: { send: { description: "Reads." } } },
      { module: "./other.ts", tools: { send: { hidden: true } } },
    ],
  });
});

test("two tools of one entry are both described in it", () => {
  expect(swapDescriptions(hostOf(written), ["my_read", "drop"])).toEqual({
    ...written,
    tools: [
      {
        module: "@acme/notes",
        id: "notes",
        tools: { read: { rename: "my_read", description: "Drops." }, drop: { description: "Reads." } },
      },
      ...written.tools.slice(1),
    ],
  });
});

test.each([
  [["read", "send"], "read"],
  [["send", "gone"], "gone"],
] as const)("a swap of %j names the tool that the plan does not mount", (names, missing) => {
  const problem = `the plan mounts no tool ${missing}`;

  expect(() => swapDescriptions(hostOf(written), [...names])).toThrow(
    expect.objectContaining({ code: "USAGE_INVALID", details: { problem } }),
  );
});

test("a plan without entries has none to describe", () => {
  expect(describeTools({ version: 1 }, [{ tool: read, description: "New." }])).toEqual({
    version: 1,
    tools: [],
  });
});
