import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";

const plan = {
  version: 1,
  tools: [{ module: "modes" }, { module: "hello-world" }, { module: "testing" }],
  modes: {
    catalog: [
      { key: "general", displayName: "General", isDefault: true, tools: ["*", "!testing_delay"] },
      { key: "testing", displayName: "Testing", tools: ["testing_*"], exampleUtterances: ["Try it out"] },
    ],
  },
};

const extensions = {
  "@toolmount/tool-modes": () => import("@toolmount/tool-modes"),
  "@toolmount/tool-hello-world": () => import("@toolmount/tool-hello-world"),
  "@toolmount/tool-testing": () => import("@toolmount/tool-testing"),
};

async function opened() {
  const host = await openHost(plan, { extensions, approver: () => ({ decision: "approve", by: "ada" }) });
  onTestFinished(async () => void (await host.close()));
  return host;
}

test("APTIX-85, APTIX-88: agent_list_modes lists the modes that the plan declares, each with a stable id", async () => {
  const [host, other] = [await opened(), await opened()];
  const call = { name: "agent_list_modes", arguments: { includeExamples: true } };
  const { result } = await host.call(call);
  const { modes } = result.data as {
    modes: readonly { id: string; key: string; exampleUtterances: string[] }[];
  };

  expect(modes.map(({ key, exampleUtterances }) => [key, exampleUtterances])).toEqual([
    ["general", []],
    ["testing", ["Try it out"]],
  ]);
  for (const { id } of modes) expect(id).toMatch(/^[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect((await other.call(call)).result.data).toEqual(result.data);
});

test("APTIX-N19, APTIX-N20, APTIX-N21, APTIX-N22: a session begins in the default mode, changes by the tool, and is offered what its mode lists", async () => {
  const session = (await opened()).session("s-1");
  const names = async (turnId: string) => (await session.tools({ turnId })).map(({ name }) => name);
  const before = await names("t-1");
  const change = { mode: "testing", branch: false, reason: "The user wants to try things out" };
  await session.call({ name: "agent_change_mode", arguments: change }, { turnId: "t-1" });

  expect(before).toContain("agent_hello_world");
  expect(before).not.toContain("testing_delay");
  expect(await names("t-1")).toEqual(before);
  expect(await names("t-2")).toEqual([
    "agent_change_mode",
    "testing_calculator",
    "testing_delay",
    "testing_failure_injection",
    "testing_ping_pong",
  ]);
});

test("APTIX-61, APTIX-73: the guidance of a session has the usage of its offered tools, without a list of names", async () => {
  const host = await opened();
  const guidance = await host.guidance({ mode: "testing" });

  for (const { name, usage } of (await host.offer({ mode: "testing" })).tools)
    expect(guidance).toContain(`<<<BEGIN TOOL ${name}>>>\n${usage}\n<<<END TOOL ${name}>>>`);
  expect(guidance).not.toContain("agent_hello_world: ");
});
