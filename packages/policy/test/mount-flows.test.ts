import { createHost, type Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, mount } from "../src/index.ts";
import { tool, world } from "./world.ts";

type Believes = (userId?: string) => boolean;

async function believed(flows: unknown) {
  const { coordinator } = createHost();
  await mount(coordinator, config.parse({ flows }));
  return coordinator.getCapability("flows.believesClientOf") as Believes | null;
}

test("clients of the users that the plan names are believed, and of none that it does not", async () => {
  const isBelieved = (await believed({ mcpUsers: ["ada", "team-*"] }))!;

  expect(["ada", "team-7", "bob", ""].map(isBelieved)).toEqual([true, true, false, false]);
  expect(isBelieved()).toBe(false);
  expect((await believed({ mcpUsers: ["*"] }))!()).toBe(true);
  expect(await believed({ mcpUsers: [] })).toBeNull();
  expect(await believed("on")).toBeNull();
});

test("a question of a flow says where the plan has its line", async () => {
  const send = tool("send", { category: "side_effect", control: ["to"] });
  const { host } = await world({ flows: { into: [{ match: {}, from: ["user"] }] } }, [send]);
  const position = (path: readonly unknown[]) =>
    path.join() === "policy,flows,into,0" ? { file: "/home/ada/plan.yaml", line: 7, column: 3 } : undefined;
  host.coordinator.registerCapability("plan.position", position);
  await host.call({ name: "send", arguments: { to: "eve" } }, { sessionId: "s", prompts: ["Go."] });

  expect((await host.approvals.list())[0]!.reasons).toMatchObject([{ rule: "plan.yaml:7:3" }]);
});

test("an empty section mounts the level alone, and each setting its own part", async () => {
  const mountedBy = async (section: unknown) => {
    const { coordinator } = createHost();
    const names: string[] = [];
    const recording: Coordinator = {
      ...coordinator,
      mount: (point, thing, ...rest) => {
        names.push(`${point}: ${(thing as { name?: string }).name ?? "-"}`);
        return coordinator.mount(point, thing, ...rest);
      },
    };
    await mount(recording, config.parse(section));
    return names;
  };

  expect(await mountedBy({})).toEqual(["policies: level cautious"]);
  expect(
    await mountedBy({
      level: "paranoid",
      rules: [{ match: {}, answer: "ask" }],
      deny: ["a"],
      ask: ["b"],
      allow: ["c"],
      flows: "on",
      budgets: { calls: 1 },
      approver: { url: "https://ops.example", secret: "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh" },
    }),
  ).toEqual([
    "policies: level paranoid",
    "policies: rule 1",
    "policies: deny a",
    "policies: ask b",
    "policies: allow c",
    "policies: flows",
    "policies: budgets",
    "approver: -",
  ]);
});
