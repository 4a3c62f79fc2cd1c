import { expect, test } from "vitest";
import {
  decryptWithTicket,
  encryptForHolder,
  encryptWithTicket,
  publicKeyOf,
  randomName,
} from "../../src/pending/ticket.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

test.each(["a", "ab", "abc", "abcd"])(
  "of a sealed text every character counts, those that base64 need not read too: %j",
  (value) => {
    const sealed = encryptWithTicket(value, "ticket");
    expect(decryptWithTicket(sealed, "ticket")).toEqual({ value });

    for (let at = 0; at < sealed.length; at++)
      for (const other of alphabet)
        if (other !== sealed[at])
          expect(decryptWithTicket(sealed.slice(0, at) + other + sealed.slice(at + 1), "ticket")).toBeNull();
    for (const more of ["=", "A", "\n", " "]) expect(decryptWithTicket(sealed + more, "ticket")).toBeNull();
  },
);

test("ids and tickets can be typed on a command line: none begins with a dash", () => {
  const names = Array.from({ length: 4_000 }, randomName);

  expect(names.filter((name) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{31}$/.test(name))).toEqual([]);
});

test("a text that is sealed with a public key is for the holder of its ticket alone, and every character counts", () => {
  const sealed = encryptForHolder({ a: 1 }, publicKeyOf("ticket"));

  expect(decryptWithTicket(sealed, "ticket")).toEqual({ value: { a: 1 } });
  expect(decryptWithTicket(sealed, "another")).toBeNull();
  expect(encryptForHolder({ a: 1 }, publicKeyOf("ticket"))).not.toBe(sealed);
  for (let at = 0; at < sealed.length; at++)
    for (const other of "AQgw/+=.")
      if (other !== sealed[at])
        expect(decryptWithTicket(sealed.slice(0, at) + other + sealed.slice(at + 1), "ticket")).toBeNull();
});
