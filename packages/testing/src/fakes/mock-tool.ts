/** What a {@link MockTool} is made from. */
export interface MockToolOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** What a call answers: a whole result when it has `success`, else the output of a success. */
  readonly returnValue?: unknown;
  /** Amplifier's name of `returnValue`. */
  readonly return_value?: unknown;
}

/** A tool that remembers how it was called. Mounts as it is where Amplifier's shape is known. */
export class MockTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>> = { type: "object" };
  /** How often it was called. */
  callCount = 0;
  /** What it was called with last; undefined before the first call. */
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

  /** Amplifier's name of `callCount`. */
  get call_count(): number {
    return this.callCount;
  }

  /** Amplifier's name of `lastInput`. */
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
