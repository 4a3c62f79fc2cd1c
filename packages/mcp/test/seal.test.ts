import { createMemoryStore, type Clock } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSeal, SealKeys, createStateSeal } from "../src/serve/seal.ts";
import { hostOf } from "./support.ts";

const day = 86_400_000;
const state = { asked: "form", ticket: "t", callId: "c", sessionId: "s", request: "r" } as const;

/** Servers that share a store, and a clock that the test moves. */
function serversOf(store = createMemoryStore()) {
  let now = 1_000;
  const clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) } as Clock;
  const start = () => createStateSeal(hostOf([], { store }), clock);
  return { start, store, clock, pass: (days: number) => void (now += days * day) };
}

describe("a sealed state", () => {
  test("opens at every server of the store, also one that starts later", async () => {
    const { start } = serversOf();
    const servers = [start(), start(), start()];
    const texts = await Promise.all(servers.map((server) => server.close(state)));
    expect(new Set(texts).size).toBe(3);
    for (const server of [...servers, start()])
      for (const text of texts) expect(await server.open(text)).toEqual(state);
  });

  test("does not open where the store is another one, or there is none", async () => {
    const text = await serversOf().start().close(state);
    const other = serversOf().start();
    await other.close(state);
    await expect(other.open(text)).rejects.toThrow("not sealed");
    await expect(createStateSeal(hostOf([])).open(text)).rejects.toThrow("not kept any more");
  });

  test("does not open when any of its characters was changed, or it is for another use", async () => {
    const { start, store, clock } = serversOf();
    const seal = start();
    const text = await seal.close(state);
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === "1" ? "2" : "1") + text.slice(at + 1);
      await expect(seal.open(changed)).rejects.toThrow(/not sealed|not kept/);
    }
    for (const length of [0, 1, 2, 20, 31, text.length - 1])
      await expect(seal.open(text.slice(0, length))).rejects.toThrow("not sealed");
    await expect(seal.open(await seal.close({ ...state, more: 1 } as never))).rejects.toThrow("more");
    const session = createSeal("session", z.any(), new SealKeys(hostOf([], { store }), clock));
    await expect(session.open(text)).rejects.toThrow("not sealed");
  });

  test("opens for 30 days, over one change of the key, and not longer", async () => {
    const { start, pass } = serversOf();
    const [one, other] = [start(), start()];
    await other.open(await one.close(state));
    pass(29.5);
    const text = await one.close(state);
    pass(29.5);
    const [ofOne, ofOther] = await Promise.all([one.close(state), other.close(state)]);
    expect(await one.open(ofOther)).toEqual(state);
    expect(await other.open(ofOne)).toEqual(state);
    expect(await other.open(text)).toEqual(state);
    expect(await start().open(text)).toEqual(state);
    pass(0.6);
    await expect(one.open(text)).rejects.toThrow("expired");
    pass(30);
    await one.close(state);
    await expect(start().open(text)).rejects.toThrow("not kept any more");
  });

  test("a store that was away for a moment is asked again", async () => {
    const { start, store } = serversOf();
    const { get } = store.work!;
    const seal = start();
    Object.assign(store.work!, { get: () => Promise.reject(new Error("away")) });
    await expect(seal.close(state)).rejects.toThrow("away");
    Object.assign(store.work!, { get });
    expect(await seal.open(await seal.close(state))).toEqual(state);
  });
});
