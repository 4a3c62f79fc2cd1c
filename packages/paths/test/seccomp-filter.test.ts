import { expect, test } from "vitest";
import { seccompFilter } from "../src/system/seccomp-filter.ts";
import { deniedCalls, judgedCalls, missingCalls } from "../src/system/syscalls.ts";

const processors = [
  { arch: "x64", place: 0, audit: 0xc000_003e, other: 0x4000_0003 },
  { arch: "arm64", place: 1, audit: 0xc000_00b7, other: 0x4000_0028 },
] as const;

/** What the kernel knows of a call: its number, the processor, and its first argument. */
interface Call {
  readonly call: number;
  readonly audit: number;
  readonly first?: number;
}

/** Runs the filter as the kernel does, and names its verdict. */
function judge(filter: Buffer, { call, audit, first = 0 }: Call): string {
  const data: Readonly<Record<number, number>> = { 0: call, 4: audit, 16: first >>> 0 };
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
  for (const network of [true, false]) {
    const filter = seccompFilter(arch, network)!;
    for (const call of numbers) {
      const first = call === judgedCalls.socket[place] ? 2 : 0;
      const expected = denied!.has(call) ? "EPERM" : missing!.has(call) ? "ENOSYS" : "allowed";
      expect([call, judge(filter, { call, audit, first })]).toEqual([call, expected]);
    }
  }
});

test.each(processors)("the filter of $arch ends programs that call as another processor", (processor) => {
  const filter = seccompFilter(processor.arch, true)!;
  for (const call of numbers) expect(judge(filter, { call, audit: processor.other })).toBe("killed");
});

test("the second table of calls of x86-64 does not exist", () => {
  const [{ arch, audit }] = processors;
  for (const call of numbers)
    expect(judge(seccompFilter(arch, true)!, { call: 0x4000_0000 + call, audit })).toBe("ENOSYS");
});

test.each(processors)(
  "clone of $arch makes processes and threads, and no namespace",
  ({ arch, place, audit }) => {
    const filter = seccompFilter(arch, false)!;
    const call = judgedCalls.clone[place];
    const namespaces = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
    // What glibc asks for when it starts a process, and a thread.
    for (const first of [0x120_0011, 0x3d_0f00]) {
      expect(judge(filter, { call, audit, first })).toBe("allowed");
      for (const flag of namespaces)
        expect(judge(filter, { call, audit, first: first | flag })).toBe("EPERM");
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
        const verdict = judge(seccompFilter(arch, network)!, { call, audit, first });
        expect([network, first, verdict]).toEqual([network, first, isAllowed ? "allowed" : "EAFNOSUPPORT"]);
      }
  },
);

test.each(processors)("a program of $arch asks for its personality, and sets no odd one", (processor) => {
  const { arch, place, audit } = processor;
  const judged = (first: number) =>
    judge(seccompFilter(arch, true)!, { call: judgedCalls.personality[place], audit, first });

  for (const first of [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff]) expect(judged(first)).toBe("allowed");
  for (let bit = 0; bit < 32; bit++) if (bit !== 3 && bit !== 17) expect(judged(2 ** bit)).toBe("EPERM");
});

test("there is no filter for other processors", () => {
  expect(seccompFilter("riscv64", true)).toBeUndefined();
});
