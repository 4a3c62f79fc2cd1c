import { silentLogger, type Logger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import {
  call,
  outputs,
  response,
  say,
  tool,
  world,
  type Answer,
  type Request,
  type WorldOptions,
} from "../support/world.ts";

const usage = (tokens: number) => ({ usage: { input_tokens: tokens, output_tokens: 1 } });
const asksSummary = ({ input }: Request) =>
  JSON.stringify(input.at(-1)).includes("Write a summary of this conversation");
const contents = ({ input }: Request) => input.map(({ content, output, name }) => content ?? output ?? name);
const texts = (request: Request) =>
  contents(request).map((one) => (typeof one === "string" ? one : JSON.stringify(one)));

/** A conversation of two turns, whose next request is too long. `summary` answers the request for a summary. */
async function twoTurns(
  summary: (request: Request) => Answer,
  settings: NonNullable<WorldOptions["settings"]> = {},
) {
  const made = await world(
    (request) => (asksSummary(request) ? summary(request) : response([say("ok")], usage(1_000))),
    { settings: { compaction: 900, keepTurns: 1, retries: 0, ...settings } },
  );
  await made.run("My name is Ada.");
  await made.run("And now?");
  return made;
}

const compactionOf = (events: readonly { readonly type: string }[]) =>
  events.filter(({ type }) => type === "compaction");

describe("a conversation that is too long", () => {
  test("is summarized by the model, with the request that it had, and the user's words stay", async () => {
    const { requests, events, reasoner } = await twoTurns(() => response([say(" It is Ada. ")], usage(20)));
    const [, asked, next] = requests;

    expect(requests).toHaveLength(3);
    expect(texts(asked!).slice(0, 2)).toEqual(["My name is Ada.", expect.stringContaining("ok")]);
    expect(asked!["tools"]).toEqual(requests[0]!["tools"]);
    expect(texts(next!)).toEqual([
      "My name is Ada.",
      "[Older messages, calls and results are left out. Your summary of them:]\nIt is Ada.",
      "And now?",
    ]);
    expect(compactionOf(events)).toEqual([
      {
        type: "compaction",
        by: "summary",
        beforeTokens: expect.any(Number),
        afterTokens: expect.any(Number),
        dropped: 0,
      },
    ]);
    const { context, usage: used } = await reasoner.show("s");
    expect(context.summaries).toBe(1);
    expect(used.inputTokens).toBe(2_020);
    expect(used.requests).toBe(3);
  });

  test("stays as it is where the plan wants no compaction, or has no limit", async () => {
    for (const compaction of [false, undefined] as const) {
      const { requests, events } = await twoTurns(() => response([]), { compaction });
      expect(requests).toHaveLength(2);
      expect(compactionOf(events)).toEqual([]);
    }
  });

  test("is one at the size that the plan says, and not below it", async () => {
    const sizeOf = async (tokens: number) => {
      const { run, requests } = await world(
        (request) => response([say(asksSummary(request) ? "short" : "ok")], usage(tokens)),
        { settings: { compaction: 500, keepTurns: 1 } },
      );
      await run("one");
      await run("two");
      return requests.length;
    };
    // The size of the next request is that of the last one, and an estimate of what came since.
    expect(await sizeOf(400)).toBe(2);
    expect(await sizeOf(500)).toBe(3);
  });

  test.each<[string, (request: Request) => Answer, string, number]>([
    ["an empty summary", () => response([say(" ")]), "its answer was empty", 2],
    [
      "a server that fails",
      () => ({ status: 400, body: { error: { message: "no such model" } } }),
      "no such model",
      2,
    ],
  ])("is cut with a note after %s, and the turn continues", async (_title, summary, problem, tries) => {
    const { requests, events } = await twoTurns(summary);

    expect(requests.filter(asksSummary)).toHaveLength(tries);
    expect(texts(requests.at(-1)!)).toEqual([
      "My name is Ada.",
      "[1 older messages, calls and results are left out, since the conversation was too long.]",
      "And now?",
    ]);
    expect(events).toContainEqual({
      type: "tool_warning",
      tool: "",
      message: expect.stringContaining(`the model wrote no summary: ${problem}`),
    });
    expect(compactionOf(events)).toMatchObject([{ by: "turns" }]);
  });

  test("whose summary is refused as too long, too, is summarized by the beginnings of its items", async () => {
    const tooLong = {
      status: 400,
      body: { error: { code: "context_length_exceeded", message: "too long" } },
    };
    let tries = 0;
    const { requests, events } = await twoTurns(() => (++tries === 1 ? tooLong : response([say("Ada.")])));
    const [, short] = requests.filter(asksSummary);

    expect(short!.input).toHaveLength(2);
    expect(texts(short!)[0]).toBe("user: My name is Ada.\nassistant: ok");
    expect(compactionOf(events)).toMatchObject([{ by: "summary" }]);
    expect(events.some(({ type }) => type === "tool_warning")).toBe(false);
  });

  /** A turn of six rounds with one call each, whose results have these lengths. */
  async function sixRounds(lengths: readonly number[], atTokens: number) {
    let made = 0;
    const { run, requests, events } = await world(
      (request) => {
        if (asksSummary(request)) return response([say("short")]);
        const size = usage(Math.ceil(JSON.stringify(request.input).length / 4));
        return ++made <= 6
          ? response([call(`c${made}`, "read", { made })], size)
          : response([say("done")], size);
      },
      {
        tools: [tool("read", ({ made: at }) => "x".repeat(lengths[Number(at) - 1] ?? 10))],
        settings: { compaction: atTokens },
      },
    );
    expect((await run("Read it all.")).status).toBe("done");
    const marks = requests.map((request) =>
      Object.values(outputs(request)).map((one) => String(one).includes("[cleared to make room:")),
    );
    return { marks, compactions: compactionOf(events), summaries: requests.filter(asksSummary).length };
  }

  test("loses the results of older calls first, but for the last three rounds", async () => {
    const { marks, compactions, summaries } = await sixRounds([12_000, 800, 800, 800, 800, 800], 3_700);

    expect(marks.find((one) => one.includes(true))).toEqual([true, false, false, false]);
    expect(compactions).toMatchObject([{ by: "cleared", dropped: 0 }]);
    expect(summaries).toBe(0);
  });

  test("loses older rounds where that is not enough, and keeps the newest", async () => {
    const { marks, compactions, summaries } = await sixRounds(Array(6).fill(2_000), 1_900);

    expect(compactions).toMatchObject([{ by: "summary", dropped: 5 }]);
    expect(marks.map((one) => one.length)).toEqual([0, 1, 2, 3, 3, 1, 2, 3]);
    expect(summaries).toBe(1);
  });

  test("loses the newest results where they alone are too long", async () => {
    const { marks, compactions } = await sixRounds([10, 20_000], 3_000);

    expect(marks[3]).toEqual([true]);
    expect(compactions[0]).toMatchObject({ by: "summary" });
  });

  test("that the server refuses is shortened at once, and its size is remembered", async () => {
    const tooLong = {
      status: 400,
      body: { error: { code: "context_length_exceeded", message: "too long" } },
    };
    let asked = 0;
    const { run, requests, events } = await world(
      (request) => {
        if (asksSummary(request)) return response([say("short")]);
        return ++asked === 2 ? tooLong : response([say("ok")], usage(50));
      },
      { settings: { keepTurns: 1 } },
    );
    await run("My name is Ada.");

    expect((await run("And now?")).status).toBe("done");
    expect(requests.map(asksSummary)).toEqual([false, false, true, false]);
    expect(compactionOf(events)).toHaveLength(1);
  });

  test("keeps what a hook gives, unless that would part a call from its output", async () => {
    const warned: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (_, text = "") => void warned.push(text),
      child: () => logger,
    };
    const { run, requests, host } = await world(() => response([say("ok")], usage(1_000)), {
      settings: { compaction: 900, keepTurns: 1, summary: false },
      host: { logger },
    });
    const kept = { type: "message", role: "user", content: "only this" };
    let items: unknown = [kept, 7];
    const sizes: unknown[] = [];
    host.coordinator.hooks.gate("context:pre_compact", (_, data) => {
      sizes.push([data["item_count"], data["input_tokens"], (data["items"] as unknown[]).length]);
      return { action: "modify", data: { items } };
    });
    await run("one");
    await run("two");
    expect(texts(requests[1]!)).toEqual(["only this"]);
    expect(sizes).toEqual([[3, expect.any(Number), 3]]);

    items = [{ type: "function_call", call_id: "x", name: "y", arguments: "{}" }];
    await run("three");
    expect(warned).toContain(
      "the items of a hook were not used: they would separate calls from their outputs",
    );
    expect(texts(requests.at(-1)!).at(-1)).toBe("three");
  });
});
