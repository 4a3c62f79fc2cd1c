import { expect, test } from "vitest";
import { clientRows } from "./client-rows.ts";
import { tokenRows } from "./token-rows.ts";

test.each([...clientRows, ...tokenRows])(
  "a server that people sign in to ($server) is met: $host",
  ({ run }) => expect(run()).resolves.toBeUndefined(),
);
