import { data, defineTool, type ToolReturn } from "@toolmount/core";
import { toLangChainTools } from "@toolmount/interop";
import { expect, test } from "vitest";
import { z } from "zod";
import { isLangGraphInterrupt } from "../../src/providers/graph-steps.ts";
import type { LangChainContext, LangChainResult } from "../../src/providers/langchain.ts";
import { hostWithAdapters } from "../support/world.ts";

async function allOf(parts: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

class ToolMessage {
  readonly fields: LangChainResult;

  constructor(fields: LangChainResult) {
    this.fields = fields;
  }
}

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const pdf = Buffer.from("%PDF-1").toString("base64");
const file = { type: "file", uri: "a:b.pdf", name: "b.pdf", mimeType: "application/pdf", data: pdf } as const;
const noImage = "(an image of the type image/png is left out: this model gets none from results)";
const noFile = "(the file b.pdf is left out: this model gets none from results; its address is a:b.pdf)";

/** A tool for LangChain whose result has this content. */
async function toolWith(content: readonly object[], context: LangChainContext = {}, error?: string) {
  const { host } = await hostWithAdapters();
  const seen: unknown[] = [];
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "draw",
      description: "Draws. Use it in tests.",
      schema: z.looseObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: (params): Promise<ToolReturn> => {
        seen.push(params);
        const result = error === undefined ? data("done") : { error };
        return Promise.resolve({ ...result, ...(content.length > 0 && { content }) } as ToolReturn);
      },
    }),
  );
  const [tool] = toLangChainTools(host, host.tools(), context);
  const invoke = async (input: unknown) => (await tool!.invoke(input, {})) as unknown;
  return { tool: tool!, invoke, seen };
}

const call = { type: "tool_call", id: "c", name: "draw", args: { a: 1 } };

test.each<[string, LangChainContext, readonly object[], string]>([
  ["without content", { ToolMessage }, [], "done"],
  ["without the class of messages", {}, [image, file], `done\n${noImage}\n${noFile}`],
  ["with files and no form for them", { ToolMessage }, [file], `done\n${noFile}`],
  ["with a form for files and no class", { files: "standard" }, [file], `done\n${noFile}`],
])("a result %s is a text for the model", async (_, context, content, text) => {
  expect(await (await toolWith(content, context)).invoke(call)).toBe(text);
});

const imageBlock = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const fileBlock = { type: "file", mimeType: "application/pdf", data: pdf, metadata: { filename: "b.pdf" } };

test.each<[LangChainContext["files"], readonly object[], readonly object[]]>([
  [undefined, [image], [{ type: "text", text: "done" }, imageBlock]],
  [undefined, [image, file], [{ type: "text", text: `done\n${noFile}` }, imageBlock]],
  ["standard", [image, file], [{ type: "text", text: "done" }, imageBlock, fileBlock]],
  [
    "responses",
    [image, file],
    [
      { type: "input_text", text: "done" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
      { type: "input_file", filename: "b.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    ],
  ],
])("with the form %s for files, a message has the content %j", async (files, content, blocks) => {
  const message = await (await toolWith(content, { ToolMessage, ...(files && { files }) })).invoke(call);

  expect((message as ToolMessage).fields).toEqual({
    name: "draw",
    tool_call_id: "c",
    status: "success",
    content: blocks,
  });
});

test("a failure with an image is a message of an error", async () => {
  const message = await (await toolWith([image], { ToolMessage }, "no ink")).invoke(call);

  expect((message as ToolMessage).fields).toMatchObject({
    status: "error",
    content: [{ type: "text" }, imageBlock],
  });
});

test.each<[unknown, object]>([
  [call, { a: 1 }],
  [{ b: 2 }, { b: 2 }],
  ['{"c":3}', { c: 3 }],
  [undefined, {}],
  [null, {}],
  [
    { type: "tool_call", args: "text" },
    { type: "tool_call", args: "text" },
  ],
  [
    { type: "other", args: { a: 1 } },
    { type: "other", args: { a: 1 } },
  ],
])("the input %j has the arguments %j", async (input, params) => {
  const { invoke, seen } = await toolWith([]);
  await invoke(input);

  expect(seen).toEqual([params]);
});

test("a tool has what LangChain asks of one, and each way of calling it runs it", async () => {
  const { tool, seen } = await toolWith([]);
  const { schema: _, ...facts } = tool;

  expect(facts).toMatchObject({
    lc_namespace: ["toolmount", "tools"],
    lc_runnable: true,
    lc_serializable: false,
    lc_id: ["toolmount", "tools", "draw"],
    returnDirect: false,
    name: "draw",
    description: "Draws. Use it in tests.",
  });
  expect([tool.getName(), tool.getName("_x")]).toEqual(["draw", "draw_x"]);
  expect(await tool.call({ a: 1 })).toBe("done");
  expect(await tool.batch([{ a: 2 }, { a: 3 }])).toEqual(["done", "done"]);
  expect(await allOf((await tool.stream({ a: 4 })) as AsyncIterable<unknown>)).toEqual(["done"]);
  async function* inputs() {
    yield { a: 5 };
    yield { a: 6 };
  }
  expect(await allOf(tool.transform(inputs()))).toEqual(["done", "done"]);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6].map((a) => ({ a })));
});

test.each<[unknown, boolean]>([
  [Object.assign(new Error("ask"), { is_bubble_up: true }), true],
  [Object.assign(new Error("ask"), { is_bubble_up: 1 }), false],
  [new Error("ask"), false],
  [{ is_bubble_up: true }, false],
])("an interrupt of LangGraph: case %#", (thrown, isOne) => {
  expect(isLangGraphInterrupt(thrown)).toBe(isOne);
});
