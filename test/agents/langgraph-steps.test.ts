import { Command } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import {
  answerFor,
  answerInOrder,
  asked,
  config,
  decisions,
  graphs,
  graphWorld,
  input,
  nextInput,
  orders,
  resultsOf,
  rightlyAnswered,
  type Question,
} from "./support/langgraph-world.ts";

describe.each(Object.keys(graphs) as (keyof typeof graphs)[])("%s", (kind) => {
  test("each call runs once and each answer reaches its own call, in every order, each by another process", async () => {
    for (const [at, order] of orders(asked).entries())
      for (const decided of [decisions[at]!, decisions[7 - at]!])
        expect(await answerInOrder(kind, order, decided)).toEqual(rightlyAnswered(decided));
  });

  test("one resume answers all questions that are shown", async () => {
    const { open, ran } = graphWorld(kind);
    const decided = { ada: true, bob: false, eve: true };
    await open().graph.invoke(input, config());
    const { graph } = open();
    const all = (questions: readonly Question[]) => questions.map((one) => answerFor(one, decided));
    await graph.invoke(await nextInput(graph, all), config());
    for (let more = 0; more < 3 && (await resultsOf(graph)) === null; more++)
      await graph.invoke(await nextInput(graph, all), config());
    expect(ran.toSorted()).toEqual(["look all", "pay ada", "pay eve"]);
    expect((await resultsOf(graph))!["c2"]).toContain("because of bob");
  });

  test("answers of the host's approvers count in any order, whatever resumes the graph", async () => {
    for (const order of orders(asked)) {
      const { open, ran } = graphWorld(kind, {});
      await open().graph.invoke(input, config());
      for (const to of order) {
        const { host, graph } = open();
        const found = (await host.approvals.list()).find(({ arguments: given }) => given["to"] === to);
        await host.approvals.decide(found!.id, to === "bob" ? "deny" : "approve", "dan");
        await graph.invoke(new Command({ resume: "decided" }), config());
      }
      for (let more = 0; more < 3 && (await resultsOf(open().graph)) === null; more++)
        await open().graph.invoke(new Command({ resume: "decided" }), config());
      expect(ran.toSorted()).toEqual(["look all", "pay ada", "pay eve"]);
      expect(await resultsOf(open().graph)).not.toBeNull();
    }
  });

  test.each<[unknown]>([
    [true],
    ["approve"],
    [{ decision: "approve" }],
    [{ id: "c1", decision: "approve" }],
    [{ id: "?", decision: "yes" }],
  ])("a resume value that names no question decides nothing, and the next one counts: %j", async (value) => {
    const { open, ran } = graphWorld(kind);
    await open().graph.invoke(input, config());
    const { host, graph } = open();
    await graph.invoke(new Command({ resume: value }), config());
    expect(ran).toEqual(["look all"]);
    expect(await host.approvals.list()).toHaveLength(3);
    const { tasks } = await graph.getState(config());
    const [shown] = tasks
      .flatMap(({ interrupts }) => interrupts)
      .filter(({ value: one }) => JSON.stringify(one).includes("problem"));
    expect(shown?.value).toMatchObject({
      problem: expect.stringContaining("does not name a question") as string,
    });

    const decided = { ada: true, bob: true, eve: false };
    for (let turns = 0; turns < 4 && (await resultsOf(graph)) === null; turns++)
      await graph.invoke(
        await nextInput(graph, (questions) => questions.map((one) => answerFor(one, decided))),
        config(),
      );
    expect(ran.toSorted()).toEqual(["look all", "pay ada", "pay bob"]);
    expect(await resultsOf(graph)).not.toBeNull();
  });
});
