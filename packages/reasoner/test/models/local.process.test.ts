import { describe, expect, test } from "vitest";
import { modelWorld } from "../support/model-world.ts";
import { tool } from "../support/world.ts";
import { chat, type Wire } from "../support/wires.ts";

const echo = tool("echo", ({ text }) => `echo ${String(text)}`);
const call = (id: string, text = "a") => ({ id, name: "echo", arguments: JSON.stringify({ text }) });
const json = '{"name": "echo", "arguments": {"text": "a"}}';

/** A server that leaves out what some local ones leave out: ids of calls, and their type. */
const withoutIds = (body: object): object =>
  JSON.parse(JSON.stringify(body).replaceAll(/"id":"c\d","type":"function",/g, "")) as object;
const bare: Wire = {
  ...chat,
  body: (spoken) => withoutIds(chat.body(spoken)),
  events: (spoken) => chat.events(spoken).map(withoutIds),
};

const runtimes = ["ollama:m", "llamacpp:m", "lmstudio:m", "vllm:m", "openai-compatible:m"].flatMap((model) =>
  [false, true].map((stream) => ({ model, stream })),
);

describe.each(runtimes)("$model, streamed $stream", ({ model, stream }) => {
  test("a server that reports no tokens, and gives calls no ids: both calls run, and the next turn works", async () => {
    const replies = [
      { calls: [call("c1"), call("c2", "b")], usage: null },
      { text: "done", usage: null },
      { text: "again", usage: null },
    ];
    const { run, requests } = await modelWorld({ ...bare, model }, stream, replies, { tools: [echo] });
    expect(await run("go")).toMatchObject({ status: "done", text: "done", calls: 2 });
    const outputs = chat.outputs(requests[1]!);
    expect(outputs.map(([, output]) => output)).toEqual(
      ["echo a", "echo b"].map((text) => expect.stringContaining(text) as string),
    );
    expect(new Set(outputs.map(([id]) => id)).size).toBe(2);
    expect(await run("again")).toMatchObject({ status: "done", text: "again" });
  });

  test.each([
    ["JSON in its text", json, ""],
    ["tags after words", `I echo.\n<tool_call>\n${json}\n</tool_call>`, "I echo."],
    ["a fence", `\`\`\`json\n${json}\n\`\`\``, ""],
    ["Mistral's mark", `[TOOL_CALLS] [${json}]`, ""],
  ])("a call that the server left as %s runs, and goes back as a call", async (_, text, said) => {
    const { run, requests, events } = await modelWorld(
      { ...chat, model },
      stream,
      [{ text }, { text: "done" }],
      {
        tools: [echo],
      },
    );
    expect(await run("go")).toMatchObject({ status: "done", text: "done", calls: 1 });
    expect(chat.outputs(requests[1]!)).toEqual([[expect.any(String), expect.stringContaining("echo a")]]);
    const shown = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(shown).toEqual([...(said === "" ? [] : [said]), "done"]);
  });

  test("a call that cannot be read is no answer: the turn is incomplete, and a person reads what to set", async () => {
    const text = `<tool_call>${json.slice(0, -3)}`;
    const { run, events } = await modelWorld({ ...chat, model }, stream, [{ text }], { tools: [echo] });
    expect(await run("go")).toMatchObject({ status: "incomplete", incomplete: "unread_call", calls: 0 });
    const message = expect.stringContaining("--jinja") as string;
    expect(events).toContainEqual({ type: "tool_warning", tool: "", message });
  });

  test("a thought in the text is no part of the answer, and is not sent back as one", async () => {
    const { run, texts, events } = await modelWorld(
      { ...chat, model },
      stream,
      [{ text: "<think>secret plan</think>\n\nThe answer." }, { text: "more" }],
      { tools: [echo] },
    );
    expect(await run("go")).toMatchObject({ status: "done", text: "The answer." });
    const thought = events.flatMap((event) => (event.type === "thinking_delta" ? [event.text] : [])).join("");
    expect(thought).toBe("secret plan");
    await run("and?");
    expect(texts[1]).not.toContain("<think>");
    expect(texts[1]).not.toContain('"content":"secret plan');
  });

  test("text that only looks like a call is what the model says, and a call that is not offered does not run", async () => {
    const texts = [`Write ${json} to call it.`, '{"name": "wipe", "arguments": {}}', '{"city": "Rome"}'];
    const { run } = await modelWorld(
      { ...chat, model },
      stream,
      texts.map((text) => ({ text })),
      {
        tools: [echo],
      },
    );
    for (const text of texts) expect(await run("go")).toMatchObject({ status: "done", text, calls: 0 });
  });
});
