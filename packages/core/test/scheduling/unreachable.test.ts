import { connect } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isUnreachable } from "../../src/scheduling/unreachable.ts";

test("a connection that is refused is one that may succeed later", async () => {
  const [error] = (await once(connect(1, "127.0.0.1"), "error").catch((caught: unknown) => [caught])) as [
    unknown,
  ];

  expect(isUnreachable(error)).toBe(true);
});

test.each([
  ["Postgres that starts", Object.assign(new Error("starting up"), { code: "57P03" }), true],
  ["a client of Redis", new Error("Connection is closed."), true],
  ["a refused password", Object.assign(new Error("password"), { code: "28P01" }), false],
  ["an absent database", Object.assign(new Error("absent"), { code: "3D000" }), false],
  ["any other error", new Error("no"), false],
  ["no error", "ECONNREFUSED", false],
])("%s: %s", (_, error, expected) => {
  expect(isUnreachable(error)).toBe(expected);
});
