import { createPingPong } from "@toolmount/tool-testing";
import { expect, test } from "vitest";

const tool = createPingPong();

test("APTIX-82, APTIX-77: testing_ping_pong sends the message back and raises the count", async () => {
  const { data } = await tool.execute(
    { message: "hello", count: 2 },
    { sessionId: "s-1", conversationId: "c-1" },
  );

  expect(data).toEqual({ Reply: "pong: hello", Count: 3, SessionId: "s-1", ConversationId: "c-1" });
});

test.each([
  { title: "no arguments", params: {}, reply: "ping", count: 1 },
  { title: "a blank message", params: { message: "  " }, reply: "ping", count: 1 },
  { title: "an empty message", params: { message: "", count: 0 }, reply: "ping", count: 1 },
  { title: "a count below zero", params: { count: -1 }, reply: "ping", count: 0 },
  { title: "a message with space around it", params: { message: " a " }, reply: "pong:  a ", count: 1 },
])("APTIX-28, APTIX-82: $title: $reply, $count", async ({ params, reply, count }) => {
  const { data } = await tool.execute(params);

  expect(data).toEqual({ Reply: reply, Count: count, SessionId: null, ConversationId: null });
});

test.each([
  { title: "a message that is a number", params: { message: 1 }, names: "message" },
  { title: "a count that is a text", params: { count: "2" }, names: "count" },
  { title: "a count that is a fraction", params: { count: 1.5 }, names: "count" },
  { title: "an argument that is not declared", params: { text: "hello" }, names: "text" },
])("APTIX-30, APTIX-77: $title is refused by name", async ({ params, names }) => {
  const { error, code } = await tool.execute(params);

  expect(code).toBe("INVALID_ARGUMENTS");
  expect(error).toContain(names);
});

test("FORGE-31: testing_ping_pong does not answer a call that was cancelled before", async () => {
  const result = await tool.execute({}, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled", code: "CANCELLED" });
});
