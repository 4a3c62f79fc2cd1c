import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { data, defineTool } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { listenForBrowser } from "../src/auth/callback.ts";
import { toAnnotations } from "../src/wire/annotations.ts";
import { readChain, writeChain } from "../src/wire/chain.ts";
import { connectStreams, hostOf } from "./support.ts";

describe("the hints of a tool of ours", () => {
  const hints = (
    category: "read" | "write" | "delete" | "side_effect",
    level: "low" | "high",
    idempotent: boolean,
  ) => toAnnotations({ category, consequenceLevel: level, idempotent });

  test.each([
    ["read", "high", false, { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
    ["write", "low", false, { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
    ["write", "high", true, { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ["delete", "low", false, { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    [
      "side_effect",
      "low",
      false,
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    ],
  ] as const)("of %s with %s consequence, idempotent %s", (category, level, idempotent, expected) => {
    expect(hints(category, level, idempotent)).toEqual(expected);
  });
});

test("the hosts that a list names are read back, and anything else names none", () => {
  const hosts = [{ host: "a", plan: "/plan.yaml" }];
  const [first] = readChain(writeChain(hosts));

  expect(first).toEqual(hosts[0]);
  for (const given of [
    undefined,
    null,
    1,
    "x",
    [],
    {},
    { "dev.toolmount/chain": null },
    { "dev.toolmount/chain": 1 },
  ])
    expect(readChain(given)).toEqual([]);
});

test("a browser that returns without the state of this sign-in is refused, and the other one is taken", async () => {
  const callback = await listenForBrowser({ required: undefined, preferred: undefined }, () => "ours");
  onTestFinished(() => callback.close());
  const visit = async (words: string, from = callback.url) => {
    const answer = await fetch(from + words);
    return [answer.status, await answer.text()];
  };

  expect(await visit("?state=theirs&code=1")).toEqual([400, "This is not the sign-in that was started."]);
  expect(await visit("", callback.url.replace("/callback", "/other"))).toEqual([
    404,
    "This address is for the sign-in only.",
  ]);
  for (const address of ["no address", `${callback.url}?state=theirs`])
    expect(() => callback.take(address)).toThrow("this is not the address to which the browser returned");
  expect(await visit("?state=ours&code=1")).toEqual([
    200,
    "You are signed in. You can close this page and return to the terminal.",
  ]);
  expect((await callback.returned).get("code")).toBe("1");
});

test("a port that is taken is replaced where the plan does not require it", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const callback = await listenForBrowser({ required: undefined, preferred: port }, () => "s");
  onTestFinished(() => callback.close());

  expect(new URL(callback.url).port).not.toBe(String(port));
  await expect(listenForBrowser({ required: port, preferred: undefined }, () => "s")).rejects.toThrow(
    "EADDRINUSE",
  );
});

test("a result that is too wide is kept as a text, and is no structured content", async () => {
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`key number ${at}`, at]));
  const tool = defineTool({
    name: "many",
    description: "Returns many members. Use in tests.",
    schema: z.strictObject({ count: z.int() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ count }) => data(members(count)),
  });
  const client = await connectStreams(hostOf([tool]), "modern");
  const call = (count: number) => client.callTool({ name: "many", arguments: { count } });

  expect((await call(15_000)).structuredContent).toEqual(members(15_000));
  const { structuredContent, isError } = await call(30_000);
  expect([structuredContent, isError]).toEqual([undefined, true]);
});
