const brand = Symbol.for("toolmount.interrupt");

/**
 * Thrown by a tool to stop the whole run and ask a person; the only thing that makes `host.call` reject.
 * The brand is a registered symbol, so that it survives two copies of core.
 */
export class ToolInterrupt extends Error {
  override readonly name = "ToolInterrupt";
  readonly [brand] = true;
  /** What is asked; JSON. */
  readonly value: unknown;

  constructor(value: unknown, message = "the tool interrupted the run to ask a person") {
    super(message);
    this.value = value;
  }
}

/** Whether a value is a `ToolInterrupt`, of this copy of core or another. */
export function isToolInterrupt(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
