import { describe, expect, test } from "vitest";
import {
  answerFor,
  answerInOrder,
  asked,
  config,
  decisions,
  graphs,
  graphWorld,
  nextInput,
  orders,
  Process,
  resultsOf,
  rightlyAnswered,
  type Question,
} from "./support/langgraph-world.ts";

describe.each(Object.keys(graphs) as (keyof typeof graphs)[])("%s", (kind) => {
  test("every order of every decision reaches the calls", async () => {
    for (const order of orders(asked))
      for (const decided of decisions)
        expect(await answerInOrder(kind, order, decided)).toEqual(rightlyAnswered(decided));
  });

  test("a process that ends at any moment leaves a thread that another one ends, and no call runs twice", async () => {
    const decided = { ada: true, bob: false, eve: true };
    const answer = (questions: readonly Question[]) =>
      questions.length === 0 ? "again" : questions.map((one) => answerFor(one, decided));
    let moments = 0;
    for (let isOver = false; !isOver; moments++) {
      const { open, ran, later } = graphWorld(kind);
      const process = new Process(moments);
      isOver = true;
      for (let turns = 0; (await resultsOf(open().graph)) === null; turns++) {
        expect(turns, `the run does not end after a death at moment ${moments}`).toBeLessThan(16);
        const { graph } = open(process.isDead ? undefined : process);
        const next = await nextInput(open().graph, answer);
        const ended = await Promise.race([graph.invoke(next, config()), process.died.promise]);
        if (ended === "died") await new Promise(setImmediate); // operations that had begun end
        if (ended === "died") later();
        if (process.isDead) isOver = false;
        if (turns > 6) later();
      }
      const results = (await resultsOf(open().graph))!;
      expect(ran, `moment ${moments}`).not.toContain("pay bob");
      for (const [id, did] of [
        ["c0", "look all"],
        ["c1", "pay ada"],
        ["c3", "pay eve"],
      ] as const) {
        const times = ran.filter((one) => one === did).length;
        const isUnclear = /OUTCOME_UNKNOWN|APPROVAL_EXPIRED|DUPLICATE_CALL/.test(results[id]!);
        expect(times, `${did}, moment ${moments}: ${results[id]}`).toBeLessThan(2);
        if (!isUnclear) expect([times, results[id]], `moment ${moments}`).toEqual([1, did]);
      }
    }
    expect(moments).toBeGreaterThan(40);
  });
});
