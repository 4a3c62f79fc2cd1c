import { silentLogger } from "@toolmount/core";
import { hashToken, type TokenRecord } from "@toolmount/http";
import { expect, test, vi } from "vitest";
import { createLiveTokens } from "../../src/http/live-tokens.ts";

const record = (name: string): TokenRecord => ({ name, sha256: hashToken(name), roles: ["call"] });

function world() {
  let now = 0;
  const read = vi.fn<() => Promise<readonly TokenRecord[] | null>>(async () => [record("ana")]);
  const clock = { now: () => now } as never;
  const { authenticate } = createLiveTokens({ records: [record("ana")], read, clock, logger: silentLogger });
  const nameOf = async (token: string) => (await authenticate(token))?.name;
  return { read, nameOf, later: (ms: number) => (now += ms) };
}

test("tokens are read again when they are a second old, once for all requests of that moment", async () => {
  const { read, nameOf, later } = world();
  later(999);
  expect(await nameOf("ana")).toBe("ana");
  expect(read).not.toHaveBeenCalled();
  read.mockResolvedValue([record("ben")]);
  later(1);
  expect(await Promise.all(["ana", "ben"].map(nameOf))).toEqual([undefined, "ben"]);
  expect(read).toHaveBeenCalledTimes(1);
});

test("tokens that cannot be read stay as they were, and are read again a second later", async () => {
  const { read, nameOf, later } = world();
  read.mockRejectedValue(new Error("away"));
  later(1_000);
  expect(await nameOf("ana")).toBe("ana");
  read.mockResolvedValue(null);
  later(1_000);
  expect(await nameOf("ana")).toBeUndefined();
});

test("a request does not wait longer than a second for tokens that are read again", async () => {
  const { read, nameOf, later } = world();
  read.mockReturnValue(new Promise(() => {}));
  later(1_000);
  expect(await nameOf("ana")).toBe("ana");
});
