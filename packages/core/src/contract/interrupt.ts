const brand = Symbol.for("toolmount.interrupt");

/**
 * Thrown by a tool to stop the whole run and ask a person: `host.call` then rejects with this error.
 * The brand is a registered symbol, so that an interrupt from another copy of core is recognized.
 */
export class ToolInterrupt extends Error {
  override readonly name = "ToolInterrupt";
  readonly [brand] = true;
  /** The question to the person, as JSON. */
  readonly value: unknown;

  constructor(value: unknown, message = "the tool interrupted the run to ask a person") {
    super(message);
    this.value = value;
  }
}

/**
 * Whether a value stops the run: a `ToolInterrupt`, of this copy of core or another, or an error whose `is_bubble_up` says
 * that it must pass through tools, as the interrupts of LangGraph do.
 */
export function isToolInterrupt(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { [brand]: isOurs, is_bubble_up: isBubble } = value as { [brand]?: unknown; is_bubble_up?: unknown };
  return isOurs === true || (isBubble === true && value instanceof Error);
}
