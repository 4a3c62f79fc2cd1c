import {
  deniedCalls,
  judgedCalls,
  missingCalls,
  modeCalls,
  uncountedCalls,
  type CallNumbers,
  type ModeCall,
} from "./syscalls.ts";

/** The known processors: their place in {@link CallNumbers}, and the kernel's number for them. */
const processors = {
  x64: { place: 0, audit: 0xc000_003e },
  arm64: { place: 1, audit: 0xc000_00b7 },
} as const;

/** On x86-64, numbers from here on are the calls of x32, a second table of calls for the same processor. */
const x32 = 0x4000_0000;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const failWith = (error: number) => 0x0005_0000 + error;
const [notPermitted, notImplemented, noSuchFamily] = [failWith(1), failWith(38), failWith(97)];

/** Flags of `clone` that make a namespace. */
const namespaceFlags = 0x7e02_0000;

/** Values of `personality` that are allowed: Linux itself, and the question which one is set. */
const personalities = [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff];

/** Allowed families of sockets: IPv4, IPv6 and netlink, by which the kernel describes the network; and Unix sockets. */
const [families, unixFamily] = [[2, 10, 16], 1] as const;

/**
 * Allowed types of socket pairs: streams and packets, each also with the flags for close-on-exec and non-blocking. A datagram
 * socket could reach another socket than that of its pair.
 */
const pairTypes = [1, 5].flatMap((type) => [0, 0x800, 0x8_0000, 0x8_0800].map((flags) => type | flags));

/** The bit of a file's mode with which a program runs with the rights of the file's owner. */
const setuid = 0o4000;

/** Flags with which opening a file creates one: O_CREAT and O_TMPFILE. */
const makes = 0o20_000_100;

/** An instruction of classic BPF: code, how far to jump if true and if false, and a number. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, k: number];

const load = (at: number): Instruction => [0x20, 0, 0, at];
const ifEqual = (k: number, ifTrue: number, ifFalse: number): Instruction => [0x15, ifTrue, ifFalse, k];
const ifAtLeast = (k: number, ifTrue: number, ifFalse: number): Instruction => [0x35, ifTrue, ifFalse, k];
const ifAnyBit = (k: number, ifTrue: number, ifFalse: number): Instruction => [0x45, ifTrue, ifFalse, k];
const end = (verdict: number): Instruction => [0x06, 0, 0, verdict];

/** Offsets at which the kernel puts the number of the call and the processor. */
const [callAt, processorAt] = [0, 4];

/** Loads the lower half of an argument. */
const argument = (index: number) => load(16 + 8 * index);

/** The properties of a sandbox on which its filter depends. */
export interface FilterOptions {
  /** Whether programs have the network, and then also Unix sockets. */
  readonly network: boolean;
  /** Whether the memory of programs is counted. The filter then refuses memory that belongs to no process and no folder. */
  readonly countsMemory?: boolean | undefined;
}

/**
 * Returns the filter of system calls for a sandbox, in the form that bubblewrap takes. A call of another processor's table,
 * such as that of a 32-bit program, ends the program. Without `network` there are no Unix sockets, because a program could
 * reach services in granted folders by them; pairs of connected sockets stay. Undefined for a processor that is not known.
 */
export function seccompFilter(arch: string, { network, countsMemory }: FilterOptions): Buffer | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const { place, audit } = processors[arch];
  const numbersOf = (calls: Readonly<Record<string, CallNumbers>>) =>
    Object.values(calls).flatMap((numbers) => numbers[place] ?? []);
  const refuse = (verdict: number) => (call: number) => [ifEqual(call, 0, 1), end(verdict)];
  const domains = [...families, ...(network ? [unixFamily] : [])];
  const missing = { ...missingCalls, ...(countsMemory === true ? uncountedCalls : {}) };
  return assemble([
    load(processorAt),
    ifEqual(audit, 1, 0),
    end(kill),
    load(callAt),
    ...(arch === "x64" ? [ifAtLeast(x32, 0, 1), end(notImplemented)] : []),
    ...numbersOf(deniedCalls).flatMap(refuse(notPermitted)),
    ...numbersOf(missing).flatMap(refuse(notImplemented)),
    ...judge(judgedCalls.clone[place], [argument(0), ...none(namespaceFlags)]),
    ...judge(judgedCalls.personality[place], [argument(0), ...only(personalities, notPermitted)]),
    ...judge(judgedCalls.socket[place], [argument(0), ...only(domains, noSuchFamily)]),
    ...(network ? [] : judge(judgedCalls.socketpair[place], connectedPairs)),
    ...Object.values(modeCalls).flatMap(({ call, ...places }) => judge(call[place], withoutSetuid(places))),
    end(allow),
  ]);
}

/** Returns instructions that apply `rules` to one call, if this processor has it. No later instruction sees that call. */
function judge(call: number | null, rules: readonly Instruction[]): readonly Instruction[] {
  return call === null ? [] : [ifEqual(call, 0, rules.length), ...rules];
}

const connectedPairs = [
  argument(0),
  ifEqual(unixFamily, 1, 0),
  end(noSuchFamily),
  argument(1),
  ...only(pairTypes, noSuchFamily),
];

function withoutSetuid({ mode, flags }: Omit<ModeCall, "call">): readonly Instruction[] {
  const judged = [argument(mode), ...none(setuid)];
  if (flags === undefined) return judged;
  return [argument(flags), ifAnyBit(makes, 1, 0), end(allow), ...judged];
}

/** Allows a call if the loaded value has none of these bits; else refuses it. */
function none(bits: number): readonly Instruction[] {
  return [ifAnyBit(bits, 0, 1), end(notPermitted), end(allow)];
}

/** Allows a call if the loaded value is one of these; else ends it with `otherwise`. */
function only(values: readonly number[], otherwise: number): readonly Instruction[] {
  return [...values.flatMap((value) => [ifEqual(value, 0, 1), end(allow)]), end(otherwise)];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, k]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(k, index * 8 + 4);
  }
  return bytes;
}
