import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deniedCalls, judgedCalls, missingCalls, modeCalls, uncountedCalls } from "../src/system/syscalls.ts";

/** Where distributions have the kernel's own numbers (linux-libc-dev on Debian), the first that is there. */
const headers = [
  ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
  ["/usr/include/asm-generic/unistd.h"],
].map((files) => files.find((file) => existsSync(file)));

const tables = {
  ...deniedCalls,
  ...judgedCalls,
  ...missingCalls,
  ...uncountedCalls,
  ...Object.fromEntries(Object.entries(modeCalls).map(([name, { call }]) => [name, call])),
};

describe.each([
  { processor: "x86-64", place: 0, header: headers[0] },
  { processor: "64-bit ARM", place: 1, header: headers[1] },
])("on $processor", ({ place, header }) => {
  test.skipIf(header === undefined)("each call has the number that the kernel's header gives it", () => {
    const text = readFileSync(header!, "utf8");
    const known = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name, number]) => [
        name!,
        Number(number),
      ]),
    );
    // A header that is older than a call does not have it.
    const ours = Object.entries(tables).filter(([name]) => known.has(name));

    expect(ours.length).toBeGreaterThan(50);
    expect(ours.map(([name, numbers]) => [name, numbers[place]])).toEqual(
      ours.map(([name]) => [name, known.get(name)]),
    );
  });
});
