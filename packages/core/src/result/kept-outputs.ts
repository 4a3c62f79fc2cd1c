import { randomBytes } from "node:crypto";
import { ToolmountError } from "../contract/errors.ts";
import type { OutputPage, OutputPageRequest } from "../contract/output.ts";

/** Keeps a text, and returns a reference that cannot be guessed. If the text exceeds the limit, only its start is kept. */
export interface OutputKeeper {
  keep(text: string): string;
}

/** A text that was cut, and the user of the call that made it. */
interface KeptText {
  readonly text: string;
  readonly userId: string | undefined;
}

/** Keeps the full text of truncated outputs in memory, up to a number of bytes. The oldest are dropped first. */
export class KeptOutputs {
  readonly #maxBytes: number;
  readonly #texts = new Map<string, KeptText>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps a text from a call of a user, and returns its reference. */
  keep(whole: string, userId: string | undefined): string {
    const ref = newRef();
    const text = whole.slice(0, Math.floor(this.#maxBytes / 2));
    this.#texts.set(ref, { text, userId });
    this.#bytes += text.length * 2;
    for (const [oldest, other] of this.#texts) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#texts.delete(oldest);
      this.#bytes -= other.text.length * 2;
    }
    return ref;
  }

  page(ref: string, { offset = 0, limit = 65_536, userId }: OutputPageRequest = {}): OutputPage {
    const { text, userId: owner } = this.#texts.get(ref) ?? {};
    if (text === undefined || (userId !== undefined && userId !== owner))
      throw new ToolmountError("OUTPUT_NOT_FOUND", { ref: ref.slice(0, 100) });
    const start = requireWhole("offset", offset);
    const end = start + requireWhole("limit", limit);
    const page = { text: text.slice(start, end), offset: start, total: text.length };
    return end < text.length ? { ...page, nextOffset: end } : page;
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
  }
}

/** Thrown when an output could not be stored, which is a failure of the host and not of the tool. */
export class KeptOutputsError extends Error {}

function newRef(): string {
  try {
    return `out_${randomBytes(16).toString("hex")}`;
  } catch (cause) {
    throw new KeptOutputsError("the full output could not be stored", { cause });
  }
}

function requireWhole(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ToolmountError("OPTION_INVALID", {
    option,
    problem: `${String(value)} is not a whole number from 0`,
  });
}
