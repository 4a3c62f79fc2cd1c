/** An argument of a system call: a number, or the address of a text. */
export type SyscallArgument = number | string;

/** Address at which the program is loaded. */
const base = 0x40_0000;

/** Bytes of an ELF header with one program header. */
const headerBytes = 120;

/** The known processors: their machine number in ELF files, and the function that makes the code. */
const processors: Readonly<Record<string, { readonly machine: number; readonly code: CodeMaker }>> = {
  x64: { machine: 62, code: x64Code },
  arm64: { machine: 183, code: arm64Code },
};

type CodeMaker = (call: bigint, values: readonly bigint[]) => Buffer;

/**
 * Returns a program for Linux, an ELF file of about 250 bytes, that makes one system call and exits with the number of its
 * error, or 0 for success. With it, a test of a sandbox can make calls for which Node has no function, and needs no compiler.
 * Undefined for a processor that is not known.
 */
export function syscallProgram(
  arch: string,
  call: number,
  args: readonly SyscallArgument[],
): Buffer | undefined {
  const processor = processors[arch];
  if (processor === undefined) return undefined;
  const make = (textsAt: number) => processor.code(BigInt(call), valuesOf(args, textsAt));
  // The texts follow the code, whose length does not depend on the addresses.
  const code = make(base);
  const texts = args.filter((each) => typeof each === "string").map((each) => Buffer.from(`${each}\0`));
  const body = Buffer.concat([make(base + headerBytes + code.length), ...texts]);
  return Buffer.concat([elfHeader(processor.machine, headerBytes + body.length), body]);
}

/** Whether {@link syscallProgram} can make programs for a processor. */
export function isKnownProcessor(arch: string): boolean {
  return Object.hasOwn(processors, arch);
}

/** Returns the six values of a call: numbers as they are, texts as addresses. */
function valuesOf(args: readonly SyscallArgument[], textsAt: number): bigint[] {
  let at = textsAt;
  const values = args.map((each) => {
    if (typeof each === "number") return BigInt.asUintN(64, BigInt(each));
    at += Buffer.byteLength(each) + 1;
    return BigInt(at - Buffer.byteLength(each) - 1);
  });
  return Array.from({ length: 6 }, (_, index) => values[index] ?? 0n);
}

/** Returns the header of a 64-bit program for Linux that is loaded as one segment, to read and run. */
function elfHeader(machine: number, length: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(2, 16); // type: an executable
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(base + headerBytes), 24); // the address of the first instruction
  header.writeBigUInt64LE(64n, 32); // offset of the program header; the header sizes follow
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(1, 64); // segment type: loaded
  header.writeUInt32LE(5, 68); // access: read and run
  header.writeBigUInt64LE(BigInt(base), 80);
  header.writeBigUInt64LE(BigInt(base), 88);
  header.writeBigUInt64LE(BigInt(length), 96);
  header.writeBigUInt64LE(BigInt(length), 104);
  header.writeBigUInt64LE(0x1_0000n, 112);
  return header;
}

function x64Code(call: bigint, values: readonly bigint[]): Buffer {
  // mov rax, rdi, rsi, rdx, r10, r8, r9
  const moves = [0x48b8, 0x48bf, 0x48be, 0x48ba, 0x49ba, 0x49b8, 0x49b9];
  const loads = [call, ...values].map((value, index) => {
    const load = Buffer.alloc(10);
    load.writeUInt16BE(moves[index]!);
    load.writeBigUInt64LE(value, 2);
    return load;
  });
  // syscall; mov rdi, rax; neg rdi; test rax, rax; js +2; xor edi, edi; mov eax, exit_group; syscall
  const end = "0f05 4889c7 48f7df 4885c0 7802 31ff b8e7000000 0f05".replaceAll(" ", "");
  return Buffer.concat([...loads, Buffer.from(end, "hex")]);
}

function arm64Code(call: bigint, values: readonly bigint[]): Buffer {
  const registers = [8, 0, 1, 2, 3, 4, 5];
  // movz and movk: 16 bits each
  const loads = [call, ...values].flatMap((value, index) =>
    [0, 1, 2, 3].map((part) => {
      const bits = Number((value >> BigInt(part * 16)) & 0xffffn);
      return (part === 0 ? 0xd280_0000 : 0xf280_0000) + part * 0x20_0000 + bits * 32 + registers[index]!;
    }),
  );
  // svc; cmp x0, 0; csneg x0, xzr, x0, ge; movz x8, exit_group; svc
  const words = [...loads, 0xd400_0001, 0xf100_001f, 0xda80_a7e0, 0xd280_0bc8, 0xd400_0001];
  const code = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) code.writeUInt32LE(word, index * 4);
  return code;
}
