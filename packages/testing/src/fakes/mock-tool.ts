/** Options of a {@link MockTool}. */
export interface MockToolOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** What a call returns: a whole result if it has `success`, otherwise the output of a success. */
  readonly returnValue?: unknown;
  /** The name of `returnValue` in Amplifier. */
  readonly return_value?: unknown;
}

/** A tool that remembers how it was called. It can be mounted directly where an adapter for Amplifier's tools is mounted. */
export class MockTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>> = { type: "object" };
  /** Number of calls so far. */
  callCount = 0;
  /** The input of the last call; undefined before the first call. */
  lastInput: unknown = undefined;
  readonly #returnValue: unknown;

  constructor({
    name,
    description = `A mock of ${name}.`,
    return_value = null,
    returnValue = return_value,
  }: MockToolOptions) {
    this.name = name;
    this.description = description;
    this.#returnValue = returnValue;
  }

  /** The name of `callCount` in Amplifier. */
  get call_count(): number {
    return this.callCount;
  }

  /** The name of `lastInput` in Amplifier. */
  get last_input(): unknown {
    return this.lastInput;
  }

  async execute(
    input: unknown,
  ): Promise<{ success: boolean; output: unknown; error: { message: string } | null }> {
    this.callCount += 1;
    this.lastInput = input;
    const value = this.#returnValue;
    const isResult = typeof value === "object" && value !== null && "success" in value;
    return isResult
      ? { output: null, error: null, ...(value as { success: boolean }) }
      : { success: true, output: value, error: null };
  }
}
