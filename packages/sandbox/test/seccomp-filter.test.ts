import { describe, expect, test } from "vitest";
import { seccompFilter } from "../src/system/seccomp-filter.ts";
import { deniedCalls, judgedCalls, missingCalls, modeCalls, uncountedCalls } from "../src/system/syscalls.ts";

const processors = [
  { arch: "x64", place: 0, audit: 0xc000_003e, other: 0x4000_0003 },
  { arch: "arm64", place: 1, audit: 0xc000_00b7, other: 0x4000_0028 },
] as const;

/** What the kernel knows of a call: its number, the processor, and its arguments. */
interface Call {
  readonly call: number;
  readonly audit: number;
  readonly args?: readonly number[] | undefined;
}

/** Runs the filter as the kernel does, and names its verdict. */
function judge(filter: Buffer, { call, audit, args = [] }: Call): string {
  const words = Array.from({ length: 6 }, (_, index) => [16 + 8 * index, (args[index] ?? 0) >>> 0] as const);
  const data: Readonly<Record<number, number>> = { 0: call, 4: audit, ...Object.fromEntries(words) };
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, ifTrue, ifFalse] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2]!, filter[at * 8 + 3]!];
    const k = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) loaded = data[k]!;
    else if (code === 0x06) return verdictOf(k);
    else at += holds(code, loaded, k) ? ifTrue : ifFalse;
  }
  throw new Error("the filter has no end");
}

function holds(code: number, loaded: number, k: number): boolean {
  if (code === 0x15) return loaded === k;
  if (code === 0x35) return loaded >= k;
  if (code === 0x45) return (loaded & k) !== 0;
  throw new Error(`no instruction of this filter: ${code}`);
}

function verdictOf(k: number): string {
  if (k === 0x7fff_0000) return "allowed";
  if (k === 0x8000_0000) return "killed";
  const name = ({ 1: "EPERM", 38: "ENOSYS", 97: "EAFNOSUPPORT" } as Record<number, string>)[k - 0x5_0000];
  return name ?? `unknown ${k}`;
}

/** All numbers of calls, and many that no kernel has. */
const numbers = Array.from({ length: 1_024 }, (_, call) => call);

test.each(processors)("the filter of $arch refuses the calls of its table and no others", (processor) => {
  const { arch, place, audit } = processor;
  const [denied, missing] = [deniedCalls, missingCalls].map(
    (calls) => new Set<number | null>(Object.values(calls).map((each) => each[place])),
  );
  const uncounted = new Set<number | null>(Object.values(uncountedCalls).map((each) => each[place]));
  const usual = new Map<number, readonly number[]>([
    [judgedCalls.socket[place], [2]],
    [judgedCalls.socketpair[place], [1, 1]],
  ]);
  for (const network of [true, false])
    for (const countsMemory of [true, false]) {
      const filter = seccompFilter(arch, { network, countsMemory })!;
      for (const call of numbers) {
        const isMissing = missing!.has(call) || (countsMemory && uncounted.has(call));
        const expected = denied!.has(call) ? "EPERM" : isMissing ? "ENOSYS" : "allowed";
        expect([call, judge(filter, { call, audit, args: usual.get(call) })]).toEqual([call, expected]);
      }
    }
});

test.each(processors)("the filter of $arch ends programs that call as another processor", (processor) => {
  const filter = seccompFilter(processor.arch, { network: true })!;
  for (const call of numbers) expect(judge(filter, { call, audit: processor.other })).toBe("killed");
});

test("the second table of calls of x86-64 does not exist", () => {
  const [{ arch, audit }] = processors;
  for (const call of numbers)
    expect(judge(seccompFilter(arch, { network: true })!, { call: 0x4000_0000 + call, audit })).toBe(
      "ENOSYS",
    );
});

test.each(processors)(
  "clone of $arch makes processes and threads, and no namespace",
  ({ arch, place, audit }) => {
    const filter = seccompFilter(arch, { network: false })!;
    const call = judgedCalls.clone[place];
    const namespaces = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
    // What glibc asks for when it starts a process, and a thread.
    for (const first of [0x120_0011, 0x3d_0f00]) {
      expect(judge(filter, { call, audit, args: [first] })).toBe("allowed");
      for (const flag of namespaces)
        expect(judge(filter, { call, audit, args: [first | flag] })).toBe("EPERM");
    }
  },
);

test.each(processors)(
  "sockets of $arch are those of the internet, and with the network Unix sockets",
  (processor) => {
    const { arch, place, audit } = processor;
    for (const network of [true, false])
      for (const first of numbers) {
        const isAllowed = [2, 10, 16, ...(network ? [1] : [])].includes(first);
        const call = judgedCalls.socket[place];
        const verdict = judge(seccompFilter(arch, { network })!, { call, audit, args: [first] });
        expect([network, first, verdict]).toEqual([network, first, isAllowed ? "allowed" : "EAFNOSUPPORT"]);
      }
  },
);

test.each(processors)("a program of $arch asks for its personality, and sets no odd one", (processor) => {
  const { arch, place, audit } = processor;
  const judged = (first: number) =>
    judge(seccompFilter(arch, { network: true })!, {
      call: judgedCalls.personality[place],
      audit,
      args: [first],
    });

  for (const first of [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff]) expect(judged(first)).toBe("allowed");
  for (let bit = 0; bit < 32; bit++) if (bit !== 3 && bit !== 17) expect(judged(2 ** bit)).toBe("EPERM");
});

test.each(processors)("a pair of sockets of $arch stays a pair", ({ arch, place, audit }) => {
  const call = judgedCalls.socketpair[place];
  const [alone, online] = [false, true].map((network) => seccompFilter(arch, { network })!);
  for (const flags of [0, 0x800, 0x8_0000, 0x8_0800])
    for (const type of [1, 2, 3, 4, 5, 6, 10]) {
      const args = [1, type | flags];
      const verdict = type === 1 || type === 5 ? "allowed" : "EAFNOSUPPORT";
      expect([args, judge(alone!, { call, audit, args })]).toEqual([args, verdict]);
      expect(judge(online!, { call, audit, args })).toBe("allowed");
    }
  for (const family of [0, 2, 16, 30, 38, 40])
    expect(judge(alone!, { call, audit, args: [family, 1] })).toBe("EAFNOSUPPORT");
});

describe.each(processors)("a file of $arch", ({ arch, place, audit }) => {
  const filter = seccompFilter(arch, { network: true })!;
  const calls = Object.entries(modeCalls).filter(([, { call }]) => call[place] !== null);

  test.each(calls)("gets any mode by %s, but not that of a program with its owner's rights", (_, given) => {
    const { call, mode, flags } = given;
    const judged = (bits: number, making = 0o100) => {
      const args = Array.from({ length: 6 }, (__, at) => (at === mode ? bits : at === flags ? making : 0));
      return judge(filter, { call: call[place]!, audit, args });
    };

    for (const bits of [0, 0o644, 0o755, 0o1777, 0o2775]) expect(judged(bits)).toBe("allowed");
    for (const bits of [0o4000, 0o4755, 0o6755, 0o104_755]) expect(judged(bits)).toBe("EPERM");
    // Where no file is made, the place of the mode holds anything.
    if (flags === undefined) return;
    expect(judged(0o4755, 0o20_200_000)).toBe("EPERM");
    for (const opening of [0, 1, 2, 0o2000, 0o200_000]) expect(judged(0xffff_ffff, opening)).toBe("allowed");
  });
});

test("there is no filter for other processors", () => {
  expect(seccompFilter("riscv64", { network: true })).toBeUndefined();
});
