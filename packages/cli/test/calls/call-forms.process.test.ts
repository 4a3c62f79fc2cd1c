import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { parseFlowMap } from "../../src/options/flow-map.ts";
import { fitTexts } from "../../src/options/call-text.ts";
import { splitWords } from "../../src/options/source-options.ts";
import { atTerminal, keys } from "../support/terminal.ts";
import { command, oneTool, planOf, workspace } from "../support/workspace.ts";

const order = oneTool({
  name: "order_book",
  schema: `title: z.string().describe("The title"), count: z.int(), gift: z.boolean().optional(), size: z.enum(["small", "large"])`,
  body: "return data(params);",
});
const files = { "mount-plan.yaml": planOf("./order.ts"), "order.ts": order };

describe("the ways to write arguments", () => {
  test.each([
    [["order_book", "title=5 Friends", "count=2", "size=small", "gift=true"]],
    [["order_book", "title=@title.txt", "count:=2", "size=small", "gift:=true"]],
    [[`order_book(title: "5 Friends", count: 2, size: small, gift: true)`]],
    [["mount-plan.yaml", `order_book(title: 5 Friends, count: 2, size: 'small', gift: true)`]],
    [["--module", "./order.ts", "order_book", "title=5 Friends", "count=2", "size=small", "gift=true"]],
  ])("%j", async (words) => {
    const { here: run } = await workspace({ ...files, "title.txt": "5 Friends" });
    const { code, json, stderr } = await run(["call", ...words, "--json"]);

    expect(code, stderr).toBe(0);
    expect(json()["result"]).toMatchObject({
      data: { title: "5 Friends", count: 2, size: "small", gift: true },
    });
  });

  test.each([
    ["order_book(title:Emma)", /write a blank after "title:"/],
    ["order_book(Emma)", /"Emma" has no name before it/],
    ["order_book(title: [1)", /cannot be read/],
  ])("%s is wrong usage", async (word, says) => {
    const { here: run } = await workspace(files);
    const { code, stderr } = await run(["call", word]);

    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  });

  test("a text stays a text where the schema wants one", () => {
    const schema = { properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "boolean" } } };
    const given = { a: "5", b: "5", c: "true", d: "5" };
    const read = fitTexts(given, new Set(["a", "b", "c", "d"]), schema);

    expect(read).toEqual({ a: "5", b: 5, c: true, d: "5" });
  });

  test("what JSON writes, a written call reads", () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/).filter((text) => !text.startsWith("__"));
    const single = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const value = fc.oneof(single, fc.array(single), fc.dictionary(name, single));
    fc.assert(
      fc.property(fc.dictionary(name, value), (given) => {
        const members = Object.entries(given).map(([key, one]) => `"${key}": ${JSON.stringify(one)}`);
        const read = JSON.parse(JSON.stringify(given)) as unknown;

        expect(parseFlowMap(members.join(", "))).toEqual({ ok: true, value: read });
      }),
    );
  });

  test("the words of --stdio are split at blanks, outside of quotes", () => {
    expect(splitWords(`npx -y "my server" --root='/a b'/c ''`)).toEqual([
      "npx",
      "-y",
      "my server",
      "--root=/a b/c",
      "",
    ]);
  });
});

describe("without a plan", () => {
  test("--stdio calls, lists and describes the tools of an MCP server", async () => {
    const { here: run } = await workspace(files);
    const server = [
      "--stdio",
      [process.execPath, ...command, "serve", "--stdio"].map((word) => `"${word}"`).join(" "),
    ];
    const [called, listed, described] = await Promise.all([
      run(["call", ...server, "--approve", "order_book", "title=Emma", "count=1", "size=large", "--json"]),
      run(["list", ...server, "--format", "names"]),
      run(["describe", ...server, "order_book", "--json"]),
    ]);

    expect(called.json()).toMatchObject({ status: "ok", result: { data: { title: "Emma", count: 1 } } });
    expect(listed.stdout).toBe("order_book\n");
    expect(described.json()).toMatchObject({ name: "order_book" });
  });

  test("two sources are wrong usage", async () => {
    const { here: run } = await workspace(files);
    const { code, stderr } = await run(["call", "--module", "./order.ts", "--stdio", "x", "order_book"]);

    expect([code, stderr]).toEqual([2, expect.stringContaining("--module and --stdio: give one of them")]);
  });

  test("nothing is stored beside it", async () => {
    const { here: run, read } = await workspace({ "order.ts": order });
    const { code } = await run([
      "call",
      "--module",
      "./order.ts",
      "order_book(title: a, count: 1, size: small)",
    ]);

    expect(code).toBe(0);
    await expect(read(".toolmount/state.db")).rejects.toThrow("ENOENT");
  });
});

describe("at a terminal", () => {
  test("a form asks for the arguments that are missing, and shows the command for the next time", async () => {
    const { folder } = await workspace(files);
    const terminal = atTerminal(["call", "order_book", "count=2"], { cwd: folder, columns: 80 });
    await terminal.until(/title \(string\): The title/);
    terminal.press("Emma", keys.enter);
    await terminal.until(/size \(/);
    terminal.press(keys.down, keys.enter);
    const shown = await terminal.until(/✔ ok order_book/);

    expect(await terminal.ended).toBe(0);
    expect(shown.replaceAll(/\s+/g, " ")).toContain(
      `toolmount call order_book '{"count":2,"title":"Emma","size":"large"}'`,
    );
  });

  test("Ctrl-C in the form ends with 130, and nothing runs", async () => {
    const { folder } = await workspace(files);
    const terminal = atTerminal(["call", "order_book"], { cwd: folder });
    await terminal.until(/title \(string\)/);
    terminal.press(keys.ctrlC);

    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).toContain("CANCELLED");
  });

  test("a name that is nearly right is corrected with a question", async () => {
    const { folder } = await workspace(files);
    const words = ["call", "oder_book", "title=Emma", "count=2", "size=small"];
    const terminal = atTerminal(words, { cwd: folder });
    await terminal.until(/There is no tool oder_book. Call order_book\?[\s\S]*└ {2}Press /);
    terminal.press("y");
    await terminal.until(/✔ ok order_book/);

    expect(await terminal.ended).toBe(0);
  });
});
