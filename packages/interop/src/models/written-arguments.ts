import { isRecord, readText, type Members } from "../schema/guards.ts";

/**
 * Compares the arguments that a server sent with those of the calls that a client made of them. Clients join the pieces by the places
 * that the server names. A piece whose place is wrong is dropped, and a call without a piece runs with no arguments at all.
 */
export class WrittenArguments {
  #sent = 0;
  #read = 0;
  #empty = 0;
  #isOdd = false;
  /** Where calls of Chat Completions began; null is no place. */
  readonly #places: unknown[] = [];
  /** Places of calls without a name: a client leaves them out. */
  readonly #nameless = new Set<unknown>();
  #isMixed = false;

  /** Takes an event as the server sent it: one of Chat Completions, Anthropic or Gemini. Events of other APIs have nothing to count. */
  event(value: unknown): void {
    const { type, delta, choices, candidates } = membersOf(value);
    if (type === "content_block_delta") this.#piece(membersOf(delta)["partial_json"]);
    for (const choice of listOf(choices))
      for (const call of listOf(membersOf(choice["delta"])["tool_calls"])) this.#placed(call);
    for (const candidate of listOf(candidates))
      for (const part of listOf(membersOf(candidate["content"])["parts"])) this.#whole(part["functionCall"]);
  }

  /** Some servers number pieces badly, or not at all. With several calls, a piece must have the place of one that began. */
  #placed({ id, index = null, function: called }: Members): void {
    const { name, arguments: text } = membersOf(called);
    const [first = index] = this.#places;
    const begins = typeof id === "string" || typeof name === "string";
    if (begins && name === "" && !this.#places.includes(index)) this.#nameless.add(index);
    if (begins) this.#places.push(index);
    if (!this.#nameless.has(index)) this.#piece(text);
    this.#isMixed ||= (first === null) !== (index === null) || (!begins && !this.#places.includes(index));
  }

  #piece(text: unknown): void {
    const piece = readText(text);
    if (!empty.test(piece)) this.#sent += piece.length;
  }

  /** Gemini leaves out empty arguments. Beside an unknown member, they may be that member. */
  #whole(call: unknown): void {
    if (!isRecord(call)) return;
    const { args = null } = call;
    const isKnown = Object.keys(call).every((name) => knownOfCall.has(name));
    this.#isOdd ||= args === null && !isKnown;
  }

  /** Takes the arguments of a call as the client gives them. */
  call(text: string): void {
    if (empty.test(text)) this.#empty++;
    else this.#read += text.length;
  }

  /** Whether a call may have other arguments than its own, or none although it had some. An empty object has two characters. */
  get isDoubtful(): boolean {
    if (this.#isMixed && this.#places.length > 1) return true;
    return this.#empty > 0 && (this.#isOdd || this.#sent - this.#read > 2 * this.#empty);
  }
}

/** Matches arguments that are nothing, or an empty object. */
const empty = /^\s*(\{\s*\})?\s*$/;

const knownOfCall: ReadonlySet<string> = new Set(["id", "name", "args"]);

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
