import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { toLangChainTools } from "@toolmount/interop";
import { Command, interrupt, isGraphInterrupt, MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { asked, config, graphs, input, orders, resultsOf, type Graph } from "./support/langgraph-world.ts";

/** How long each call of a run takes until its tool interrupts, in turns of the event loop. */
type Pace = Readonly<Record<string, number>>;

/** A host whose `pay` interrupts the graph by itself, as a tool that was written for LangGraph. Each `open` is another process. */
function world(kind: keyof typeof graphs, times = 1, requiresConfirmation = false) {
  const store = createMemoryStore();
  const checkpointer = new MemorySaver();
  const answers: string[] = [];
  const execute = async ({ to }: { to: string }, pace: Pace) => {
    for (let turn = pace[to] ?? 0; turn > 0; turn--) await new Promise(setImmediate);
    try {
      const got = Array.from({ length: times }, (_, at) => String(interrupt({ pay: to, time: at + 1 })));
      answers.push(`${to}: ${got.join(", ")}`);
      return data(`${to} got ${got.join(", ")}`);
    } catch (error) {
      if (isGraphInterrupt(error)) throw error; // else the pause is lost
      return { error: String(error) };
    }
  };
  const open = (pace: Pace = {}) => {
    const host = createHost({ store });
    const common = {
      schema: z.strictObject({ to: z.string() }),
      category: "write",
      consequenceLevel: "low",
    } as const;
    const words = { description: "Acts for a person. Use in tests.", ...common };
    const look = { name: "look", requiresConfirmation: false, execute: () => data("seen") };
    const pay = {
      name: "pay",
      requiresConfirmation,
      execute: (given: { to: string }) => execute(given, pace),
    };
    for (const tool of [look, pay]) host.coordinator.mount("tools", defineTool({ ...words, ...tool }));
    const tools = toLangChainTools(host, host.tools(), { userId: "ann", answersAs: "ann in the chat" });
    return { host, graph: graphs[kind](tools, checkpointer) };
  };
  return { open, answers };
}

interface Shown {
  readonly id: string;
  readonly value: { readonly pay: string; readonly time: number };
}

/** Runs a graph. Resolves to the interrupts that it shows. */
async function invoke({ graph }: { graph: Graph }, given: unknown): Promise<readonly Shown[]> {
  const { __interrupt__: shown = [] } = (await graph.invoke(given, config())) as {
    __interrupt__?: readonly Shown[];
  };
  return shown;
}

describe.each(Object.keys(graphs) as (keyof typeof graphs)[])("%s", (kind) => {
  test("FORGE-N71: interrupt() in a tool pauses the graph, and each resume reaches the call that asked, and no other", async () => {
    for (const order of orders(asked)) {
      const { open, answers } = world(kind);
      let shown = await invoke(open(), input);
      for (let turns = 0; shown.length > 0 && turns < 4; turns++) {
        // In each process the calls reach their interrupt in another order.
        const pace = Object.fromEntries(order.map((to, at) => [to, ((at + turns) % 3) * 4]));
        const one = shown.at(turns % 2 === 0 ? -1 : 0)!;
        const resume = { [one.id]: `yes ${one.value.pay}` };
        shown = await invoke(open(pace), new Command({ resume }));
      }
      expect(answers.toSorted()).toEqual(asked.map((to) => `${to}: yes ${to}`));
      expect(await resultsOf(open().graph)).toEqual({
        c0: "seen",
        ...Object.fromEntries(asked.map((to, at) => [`c${at + 1}`, `${to} got yes ${to}`])),
      });
    }
  });

  test("a tool that asks twice gets its own values", async () => {
    const { open, answers } = world(kind, 2);
    let shown = await invoke(open(), input);
    for (let turns = 0; shown.length > 0 && turns < 12; turns++) {
      const [{ id, value }] = shown as [Shown];
      const resume = { [id]: `yes ${value.pay} ${value.time}` };
      shown = await invoke(open(), new Command({ resume }));
    }
    expect(answers.toSorted()).toEqual(asked.map((to) => `${to}: yes ${to} 1, yes ${to} 2`));
    expect(await resultsOf(open().graph)).not.toBeNull();
  });

  test("a tool that the host asks about first asks for its own value after the approval, and gets it", async () => {
    const { open, answers } = world(kind, 1, true);
    let shown: readonly { readonly id: string; readonly value: object }[] = await invoke(open(), input);
    for (let turns = 0; shown.length > 0 && turns < 16; turns++) {
      const [{ id, value }] = shown as [
        { id: string; value: { pay?: string; questions?: { id: string }[] } },
      ];
      const approvals = value.questions?.map((one) => ({ id: one.id, decision: "approve" }));
      shown = await invoke(open(), new Command({ resume: { [id]: approvals ?? `yes ${value.pay}` } }));
    }
    expect(answers.toSorted()).toEqual(asked.map((to) => `${to}: yes ${to}`));
    expect(await resultsOf(open().graph)).toEqual({
      c0: "seen",
      ...Object.fromEntries(asked.map((to, at) => [`c${at + 1}`, `${to} got yes ${to}`])),
    });
  });

  test("a value for a call that is denied meanwhile reaches no other call", async () => {
    const { open, answers } = world(kind);
    const [one] = (await invoke(open(), input)) as [Shown];
    const made = open();
    made.host.coordinator.hooks.gate("tool:pre", (_, { tool_input: given }) =>
      (given as { to: string }).to === one.value.pay
        ? { action: "deny", reason: "changed" }
        : { action: "continue" },
    );
    await invoke(made, new Command({ resume: { [one.id]: "yes" } }));
    expect(answers).toEqual([]);
  });
});
