import { isRecord, readText, type Members } from "../schema/guards.ts";

/**
 * Compares the arguments that a server sent with those that a client read from them. Clients join the pieces by the positions
 * that the server states. A piece with a wrong position is dropped, and a call without a piece would run without any arguments.
 */
export class WrittenArguments {
  #sent = 0;
  #read = 0;
  #empty = 0;
  #isOdd = false;
  /** Positions at which calls of Chat Completions began; null if the server stated none. */
  readonly #places: unknown[] = [];
  /** Positions of calls without a name, which clients leave out. */
  readonly #nameless = new Set<unknown>();
  #isMixed = false;

  /**
   * Counts an event as the server sent it, from Chat Completions, Anthropic or Gemini. Events of other APIs have nothing to
   * count.
   */
  event(value: unknown): void {
    const { type, delta, choices, candidates } = membersOf(value);
    if (type === "content_block_delta") this.#piece(membersOf(delta)["partial_json"]);
    for (const choice of listOf(choices))
      for (const call of listOf(membersOf(choice["delta"])["tool_calls"])) this.#placed(call);
    for (const candidate of listOf(candidates))
      for (const part of listOf(membersOf(candidate["content"])["parts"])) this.#whole(part["functionCall"]);
  }

  /**
   * Counts a piece with a position. Some servers number pieces wrongly or not at all. With several calls, each piece must have
   * the position of a call that began.
   */
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

  /**
   * Counts a whole call of Gemini, which leaves out empty arguments. If there is an unknown member, the arguments may be in it.
   */
  #whole(call: unknown): void {
    if (!isRecord(call)) return;
    const { args = null } = call;
    const isKnown = Object.keys(call).every((name) => knownOfCall.has(name));
    this.#isOdd ||= args === null && !isKnown;
  }

  /** Counts the arguments of a call as the client read them. */
  call(text: string): void {
    if (empty.test(text)) this.#empty++;
    else this.#read += text.length;
  }

  /**
   * Whether a call may have got other arguments than were sent, or none although there were some. An empty object has two
   * characters.
   */
  get isDoubtful(): boolean {
    if (this.#isMixed && this.#places.length > 1) return true;
    return this.#empty > 0 && (this.#isOdd || this.#sent - this.#read > 2 * this.#empty);
  }
}

/** Matches arguments that are an empty text or an empty object. */
const empty = /^\s*(\{\s*\})?\s*$/;

const knownOfCall: ReadonlySet<string> = new Set(["id", "name", "args"]);

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
