import { describe, expect, test } from "vitest";
import { modelWorld } from "../support/model-world.ts";
import { tool, type WorldOptions } from "../support/world.ts";
import { anthropic, chat, gemini, responses, type Wire } from "../support/wires.ts";
import type { ProviderOptions, ProviderRequest } from "@toolmount/testing/providers";

const wires = [responses, chat, anthropic, gemini].map((wire) => ({ wire, name: wire.name }));

const big = tool("big", ({ n }) => `result ${String(n)} ${"x".repeat(20_000)}`, { category: "read" });

/** Whether a request asks for a summary, and not for the next answer. */
const asksSummary = (request: ProviderRequest) =>
  JSON.stringify(request).includes("Write a summary of this conversation");

/** A model that makes one call of 20 kB in each of `rounds` rounds, and then reports. */
function worker(rounds: number) {
  let made = 0;
  let summaries = 0;
  return {
    script: (_: number, request: ProviderRequest) => {
      if (asksSummary(request)) return { text: `SUMMARY ${++summaries}: ${made} of ${rounds} are done.` };
      if (made === rounds) return { text: "all done" };
      made++;
      return { calls: [{ id: `c${made}`, name: "big", arguments: `{"n":${made}}` }] };
    },
    summaries: () => summaries,
  };
}

async function longWorld(
  wire: Wire,
  script: Parameters<typeof modelWorld>[2],
  server: ProviderOptions,
  more: WorldOptions = {},
) {
  return modelWorld(
    wire,
    false,
    script,
    { tools: [big], ...more, settings: { maxIterations: 1_000, ...more.settings } },
    server,
  );
}

describe.each(wires)("$name", ({ wire }) => {
  test.each([
    { title: "reports tokens", server: { window: 60_000 }, settings: {} },
    { title: "reports no tokens", server: { window: 60_000, reportsUsage: false }, settings: {} },
    { title: "has a known window", server: { window: 60_000 }, settings: { compaction: 48_000 } },
  ])("one turn of 200 rounds of 20 kB ends well, at a server that $title", async ({ server, settings }) => {
    const { script, summaries } = worker(200);
    const { run, requests, events, texts, reasoner } = await longWorld(wire, script, server, { settings });
    const turn = await run("Read all 200 and report. My name is Ada.");

    expect(turn).toMatchObject({ status: "done", text: "all done", calls: 200 });
    expect(texts.at(-1)).toContain("My name is Ada.");
    expect(events.filter(({ type }) => type === "compaction").length).toBeGreaterThan(2);
    if ("compaction" in settings)
      expect(Math.max(...texts.map((text) => text.length / 4))).toBeLessThan(60_000);
    expect(summaries()).toBeGreaterThan(0);
    expect(requests.length).toBeLessThan(300);
    expect(await run("And now?")).toMatchObject({ status: "done" });

    const { context, items } = await reasoner.show("s");
    expect(context.summaries).toBe(summaries());
    expect(context.cleared).toBeGreaterThan(0);
    expect(context.tokens).toBeLessThan(60_000);
    expect(items.length).toBeLessThan(400);
    expect((await reasoner.output("s", "c1"))!["output"]).toContain(`result 1 ${"x".repeat(20_000)}`);
    expect(await reasoner.output("s", "no such call")).toBeNull();
  });

  test("300 short turns end well, and the summary keeps what was said first", async () => {
    const script = (at: number, request: ProviderRequest) => ({
      text: asksSummary(request) ? "SUMMARY The user is Ada." : `answer ${at} ${"y".repeat(2_000)}`,
    });
    const { run, texts } = await longWorld(wire, script, { window: 20_000 });
    for (let turn = 1; turn <= 300; turn++)
      expect(await run(turn === 1 ? "I am Ada." : `question ${turn}`)).toMatchObject({ status: "done" });
    expect(texts.at(-1)).toContain("SUMMARY The user is Ada.");
  });

  test("nothing changes at the beginning of a request as long as nothing was cleared", async () => {
    const { script } = worker(40);
    const { run, requests, shared, events } = await longWorld(wire, script, { window: 60_000 });
    await run("go");
    const cut = events.filter(({ type }) => type === "compaction").length;
    const broken = requests.filter((request, at) => {
      if (at === 0 || asksSummary(request) || asksSummary(requests[at - 1]!)) return false;
      return shared[at]! < wire.segments(requests[at - 1]!).length;
    });
    expect(cut).toBeGreaterThan(0);
    expect(broken.length).toBeLessThanOrEqual(cut);
  });
});
