import { expect, test } from "vitest";
import { SuspendableCall } from "../src/tasks/suspended.ts";

const attached = { client: {}, capabilities: {}, logLevel: undefined, isHere: undefined, log() {} };
const roots = { method: "roots/list" };
const form = { method: "elicitation/create" };
const never = new AbortController().signal;

/** A call whose work ends when `end` is called. */
function running() {
  const { promise, resolve: end } = Promise.withResolvers<object>();
  const call = new SuspendableCall(
    { ...attached, signInPage: undefined },
    () => () => new Promise(() => {}),
    { isFollowed: false },
    () => promise,
  );
  return { call, end };
}

test("questions of several requests are asked together, each under a key of its own, and answered one by one", async () => {
  const { call, end } = running();
  const [one, other] = [call.ask({ asked: roots }), call.ask({ asked: form })];
  const requests = { asked: roots, "asked-2": form };
  expect(await call.step(never)).toEqual({ asked: { id: call.id, requests } });

  call.answer({ "asked-2": 2, more: 3 });
  expect(await other).toEqual({ asked: 2 });
  expect(await call.step(never)).toEqual({ asked: { id: call.id, requests: { asked: roots } } });

  call.answer({ asked: 1 });
  expect(await one).toEqual({ asked: 1 });
  end({ done: true });
  expect(await call.step(never)).toEqual({ outcome: { done: true } });
});

test("a question that is put to a call that ends is asked, and the outcome follows its answer", async () => {
  const { call, end } = running();
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  const question = call.questions.during(async () => {
    await allowed; // the host decides about the question first
    return call.ask({ asked: roots });
  });
  end({ done: true });
  setImmediate(allow);
  expect(await call.step(never)).toMatchObject({ asked: { requests: { asked: roots } } });

  call.answer({ asked: 1 });
  expect(await question).toEqual({ asked: 1 });
  expect(await call.step(never)).toEqual({ outcome: { done: true } });
});

test("the outcome of a call does not wait for a question that its server withdraws", async () => {
  const { call, end } = running();
  const withdrawn = new AbortController();
  const question = call.questions.during(() => call.ask({ asked: roots }, withdrawn.signal));
  end({ done: true });
  withdrawn.abort(new Error("too late"));

  await expect(question).rejects.toThrow("too late");
  expect(call.state.asked).toBeUndefined();
  expect(await call.step(never)).toEqual({ outcome: { done: true } });
  await expect(call.ask({ asked: roots }, withdrawn.signal)).rejects.toThrow("too late");
});

test("nor for one of a call that is cancelled", async () => {
  const { call, end } = running();
  const question = call.questions.during(() => call.ask({ asked: roots }));
  call.cancel(new Error("stop"));
  end({ done: true });

  await expect(question).rejects.toThrow("stop");
  expect(await call.outcome).toEqual({ done: true });
});
