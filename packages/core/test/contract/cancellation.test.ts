import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCancellation, type CancellationState, type CancellationToken } from "../../src/index.ts";

describe("a cancellation token", () => {
  test("AMP-N46: goes from none to graceful to immediate, or directly to immediate, and returns whether the state changed", () => {
    const slow = createCancellation();
    expect([slow.state, slow.isCancelled]).toEqual(["none", false]);
    expect([slow.requestGraceful(), slow.state, slow.isGraceful]).toEqual([true, "graceful", true]);
    expect([slow.requestGraceful(), slow.state]).toEqual([false, "graceful"]);
    expect([slow.requestImmediate(), slow.state, slow.isImmediate]).toEqual([true, "immediate", true]);
    expect([slow.requestImmediate(), slow.requestGraceful(), slow.state]).toEqual([
      false,
      false,
      "immediate",
    ]);

    const quick = createCancellation();
    expect([quick.requestImmediate(), quick.state]).toEqual([true, "immediate"]);
  });

  test("AMP-N46: reset clears state and running tools, and keeps children and callbacks", async () => {
    const token = createCancellation();
    const child = createCancellation();
    const called: string[] = [];
    token.registerChild(child);
    token.onCancel(() => called.push("callback"));
    token.registerToolStart("call_1", "bash");
    token.requestGraceful();

    token.reset();

    expect([token.state, [...token.runningTools], token.runningToolNames]).toEqual(["none", [], []]);
    child.reset();
    token.requestImmediate();
    await token.triggerCallbacks();
    expect([child.state, called]).toEqual(["immediate", ["callback"]]);
  });

  test("AMP-N47: passes requests on to its children, and a late child gets the current request", () => {
    const parent = createCancellation();
    const [early, gone, late] = [createCancellation(), createCancellation(), createCancellation()];
    parent.registerChild(early);
    parent.registerChild(gone);
    parent.unregisterChild(gone);

    parent.requestGraceful();
    parent.registerChild(late);
    expect([early.state, gone.state, late.state]).toEqual(["graceful", "none", "graceful"]);

    parent.requestImmediate();
    expect([early.state, gone.state, late.state]).toEqual(["immediate", "none", "immediate"]);
  });

  test("tokens that are each other's children get each request once", () => {
    const [one, other] = [createCancellation(), createCancellation()];
    one.registerChild(other);
    other.registerChild(one);

    expect(one.requestImmediate()).toBe(true);
    expect(other.state).toBe("immediate");
  });

  test("AMP-N48: lists running tools by id and name", () => {
    const token = createCancellation();
    token.registerToolStart("call_1", "bash");
    token.registerToolStart("call_2", "bash");
    token.registerToolComplete("call_1");
    token.registerToolComplete("never began");

    expect([[...token.runningTools], token.runningToolNames]).toEqual([["call_2"], ["bash"]]);
  });

  test("AMP-N48: callbacks may be asynchronous, each one runs, and their errors are returned", async () => {
    const token = createCancellation();
    const called: string[] = [];
    const undo = token.onCancel(() => called.push("undone"));
    token.onCancel(() => {
      throw new Error("now");
    });
    token.onCancel(async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    token.onCancel(async () => {
      await Promise.resolve();
      called.push("last");
    });
    undo();

    expect(await token.triggerCallbacks()).toMatchObject([{ message: "now" }, { message: "later" }]);
    expect(called).toEqual(["last"]);
  });

  test("AMP-N46: only immediate aborts its signal, and a reset replaces the signal", () => {
    const token = createCancellation();
    const first = token.signal;
    token.requestGraceful();
    token.reset();
    expect([token.signal === first, first.aborted]).toEqual([true, false]);

    token.requestImmediate();
    expect([first.aborted, (first.reason as DOMException).name]).toEqual([true, "AbortError"]);
    expect(createAborted().signal.aborted).toBe(true);

    token.reset();
    expect([token.signal === first, token.signal.aborted]).toEqual([false, false]);
  });

  test("calls listeners on every change, a reset included, until they are removed", () => {
    const token = createCancellation();
    const states: CancellationState[] = [];
    const undo = token.onChange((state) => states.push(state));
    token.reset();
    token.requestGraceful();
    token.requestImmediate();
    token.reset();
    undo();
    token.requestImmediate();

    expect(states).toEqual(["graceful", "immediate", "none"]);
  });
});

function createAborted(): CancellationToken {
  const token = createCancellation();
  token.requestImmediate();
  return token;
}

interface Model {
  state: CancellationState;
  readonly running: Map<string, string>;
  readonly children: Set<number>;
}

const which = fc.nat({ max: 3 });
const step = fc.oneof(
  fc.record({
    does: fc.constantFrom("graceful" as const, "immediate" as const, "reset" as const),
    at: which,
  }),
  fc.record({ does: fc.constantFrom("adopt" as const, "letGo" as const), at: which, child: which }),
  fc.record({
    does: fc.constantFrom("start" as const, "complete" as const),
    at: which,
    id: fc.constantFrom("a", "b", "c"),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Does a step for real; what a request answered comes back. */
function act(tokens: readonly CancellationToken[], one: Step): boolean | null {
  const token = tokens[one.at]!;
  if (one.does === "graceful") return token.requestGraceful();
  if (one.does === "immediate") return token.requestImmediate();
  if (one.does === "reset") token.reset();
  else if (one.does === "adopt") token.registerChild(tokens[one.child]!);
  else if (one.does === "letGo") token.unregisterChild(tokens[one.child]!);
  else if (one.does === "start") token.registerToolStart(one.id, `tool_${one.id}`);
  else if ("id" in one) token.registerToolComplete(one.id);
  return null;
}

/** Does the same in the model. */
function think(models: readonly Model[], one: Step): boolean | null {
  const model = models[one.at]!;
  if (one.does === "graceful" || one.does === "immediate") return ask(models, one.at, one.does);
  if (one.does === "reset") Object.assign(model, { state: "none", running: new Map() });
  else if (one.does === "adopt") {
    model.children.add(one.child);
    if (model.state !== "none") ask(models, one.child, model.state);
  } else if (one.does === "letGo") model.children.delete(one.child);
  else if (one.does === "start") model.running.set(one.id, `tool_${one.id}`);
  else if ("id" in one) model.running.delete(one.id);
  return null;
}

/** A request reaches everybody below, and stops where it is no news. */
function ask(models: readonly Model[], at: number, state: "graceful" | "immediate"): boolean {
  const model = models[at]!;
  if (model.state === "immediate" || model.state === state) return false;
  model.state = state;
  model.children.forEach((child) => ask(models, child, state));
  return true;
}

test("AMP-N46, AMP-N47, AMP-N48: four tokens behave like their model for any sequence of operations", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tokens = [0, 1, 2, 3].map(() => createCancellation());
      const models = tokens.map((): Model => ({ state: "none", running: new Map(), children: new Set() }));
      for (const one of steps) {
        expect(act(tokens, one)).toBe(think(models, one));
        expect(tokens.map(seen)).toEqual(models.map(expected));
      }
    }),
    { numRuns: 500 },
  );
});

function seen(token: CancellationToken) {
  const { state, isCancelled, isGraceful, isImmediate, signal, runningTools, runningToolNames } = token;
  return [state, isCancelled, isGraceful, isImmediate, signal.aborted, [...runningTools], runningToolNames];
}

function expected({ state, running }: Model) {
  const immediate = state === "immediate";
  return [
    state,
    state !== "none",
    state === "graceful",
    immediate,
    immediate,
    [...running.keys()],
    [...running.values()],
  ];
}
