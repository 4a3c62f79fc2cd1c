import { expect, test } from "vitest";
import { isKnownProcessor, syscallProgram } from "../src/system/syscall-program.ts";

const hexOf = (arch: string, call: number, args: readonly (number | string)[]) =>
  syscallProgram(arch, call, args)!.toString("hex");

/** The header: an ELF file of 64 bits for Linux, loaded as one segment at 0x400000, to read and run, and begun behind the header. */
const header = (machine: string, length: string) =>
  `7f454c46020101000000000000000000 0200${machine}01000000 7800400000000000 4000000000000000 0000000000000000
   00000000 4000 3800 0100 000000000000 01000000 05000000 0000000000000000 0000400000000000 0000400000000000
   ${length}000000000000 ${length}000000000000 0000010000000000`.replaceAll(/\s+/g, "");

test("a program for x86-64 loads the number, six values and the texts, calls, and exits with the error's number", () => {
  const code = `
    48b8 1400000000000000
    48bf ffffffffffffffff
    48be 2601400000000000
    48ba 0700000000000000
    49ba 2801400000000000
    49b8 0000000000000000
    49b9 0000000000000000
    0f05 4889c7 48f7df 4885c0 7802 31ff b8e7000000 0f05
    6100 c3a900`.replaceAll(/\s+/g, "");

  const program = hexOf("x64", 20, [-1, "a", 7, "\u00e9"]);
  const size = (program.length / 2).toString(16).padStart(4, "0");
  const length = size.slice(2) + size.slice(0, 2);
  expect(program).toBe(header("3e00", length) + fixed(code, program));
});

/** The addresses of texts depend on the length of the code, which the test does not count. */
function fixed(code: string, program: string): string {
  const at = 0x40_0000 + program.length / 2 - 5;
  const address = (offset: number) => {
    const value = Buffer.alloc(8);
    value.writeBigUInt64LE(BigInt(at + offset));
    return value.toString("hex");
  };
  return code.replace("2601400000000000", address(0)).replace("2801400000000000", address(2));
}

test("a program for 64-bit ARM loads 16 bits at a time", () => {
  // svc; cmp x0, 0; csneg x0, xzr, x0, ge; movz x8, 94; svc
  const end = "010000d41f0000f1e0a780dac80b80d2010000d4";
  /** movz and three movk of a register with these 16-bit parts, as an assembler writes them. */
  const load = (register: number, parts: readonly number[]) =>
    parts
      .map((part, at) => {
        const word = Buffer.alloc(4);
        word.writeUInt32LE(
          ((at === 0 ? 0xd280 : 0xf280 + at * 0x20) * 0x1_0000 + part * 32 + register) >>> 0,
        );
        return word.toString("hex");
      })
      .join("");
  const none = [0, 0, 0, 0];
  const program = hexOf("arm64", 172, [0x1234_5678_9abc, -1]);
  const code = [
    load(8, [172, 0, 0, 0]),
    load(0, [0x9abc, 0x5678, 0x1234, 0]),
    load(1, [0xffff, 0xffff, 0xffff, 0xffff]),
    ...[2, 3, 4, 5].map((register) => load(register, none)),
  ].join("");

  expect(load(8, [172, 0, 0, 0])).toBe("881580d20800a0f20800c0f20800e0f2");
  expect(program).toBe(header("b700", "fc00") + code + end);
});

test("a processor that is not known has no programs", () => {
  expect(["x64", "arm64", "riscv64", "toString"].map(isKnownProcessor)).toEqual([true, true, false, false]);
  expect(syscallProgram("riscv64", 1, [])).toBeUndefined();
});
