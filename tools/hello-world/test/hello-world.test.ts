import { expect, test } from "vitest";
import { createHelloWorld } from "@toolmount/tool-hello-world";

const tool = createHelloWorld();

test("APTIX-81, APTIX-77, APTIX-80: agent_hello_world greets the name and reports the ids of the call", async () => {
  const result = await tool.execute({ name: "Ada" }, { sessionId: "s-1", conversationId: "c-1" });

  expect(result).toEqual({
    tool: "agent_hello_world",
    fetchedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    data: { Message: "Hello, Ada!", ConversationId: "c-1", SessionId: "s-1" },
  });
});

test("APTIX-37, AMP-28: without a host and without a context the ids are null", async () => {
  const { data } = await tool.execute({ name: "Ada" });

  expect(data).toEqual({ Message: "Hello, Ada!", ConversationId: null, SessionId: null });
});

test.each([
  { title: "a missing name", params: {} },
  { title: "no arguments at all", params: undefined },
  { title: "an empty name", params: { name: "" } },
  { title: "a blank name", params: { name: " \t\n" } },
  { title: "a name that is null", params: { name: null } },
  { title: "a name that is a number", params: { name: 7 } },
])("APTIX-81, APTIX-29, APTIX-31: $title is refused in the tool's own words", async ({ params }) => {
  expect(await tool.execute(params)).toMatchObject({
    error: "HelloWorldTool requires a non-empty 'name' string.",
    code: "INVALID_ARGUMENTS",
  });
});

test("an argument that is not declared is refused by name", async () => {
  const { error, code } = await tool.execute({ name: "Ada", shout: true });

  expect(code).toBe("INVALID_ARGUMENTS");
  expect(error).toContain("shout");
});

test("a name is text only: markup and control characters in it stay as they are", async () => {
  const { data } = await tool.execute({ name: '"},{"Message":"$&' });

  expect(data).toMatchObject({ Message: 'Hello, "},{"Message":"$&!' });
});

test("FORGE-30, FORGE-31: a call that was cancelled before greets no one", async () => {
  const result = await tool.execute({ name: "Ada" }, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled", code: "CANCELLED" });
});

test("APTIX-77, APTIX-38: a context that throws becomes a failure without its words", async () => {
  const context = {
    get sessionId(): string {
      throw new Error("secret of the context");
    },
  };

  expect(await tool.execute({ name: "Ada" }, context)).toMatchObject({
    error: "agent_hello_world failed",
    code: "TOOL_FAILED",
  });
});
