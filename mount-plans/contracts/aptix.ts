// A project that has @toolmount/interop imports these types, and InvokeResult, from @toolmount/interop/aptix.
interface IAdminLogger {
  AddException(tag: string, exception: unknown): void;
}
interface InvokeResult {
  readonly Successful: boolean;
  readonly Result?: string;
  readonly Errors?: readonly { readonly Message: string }[];
}

/** Counts the letters of a word, as a tool of Aptix. */
export class CountLettersTool {
  static readonly ToolName = "agent_count_letters";
  static readonly ToolUsageMetadata =
    "Counts the letters of one word. Call it when the user asks how long a word is. The argument Word is the word.";
  readonly IsToolFullyExecutedOnServer = true;
  readonly #logger: IAdminLogger;

  constructor(logger: IAdminLogger) {
    this.#logger = logger;
  }

  get Name(): string {
    return CountLettersTool.ToolName;
  }

  async ExecuteAsync(argumentsJson: string): Promise<InvokeResult> {
    try {
      const { Word } = JSON.parse(argumentsJson) as { readonly Word: string };
      return { Successful: true, Result: JSON.stringify({ Letters: Word.length }) };
    } catch (exception) {
      this.#logger.AddException("[CountLettersTool_ExecuteAsync__Exception]", exception);
      return { Successful: false, Errors: [{ Message: "CountLettersTool failed to process arguments." }] };
    }
  }

  static GetSchema(): object {
    return {
      type: "function",
      name: CountLettersTool.ToolName,
      description: "Counts the letters of one word.",
      parameters: {
        type: "object",
        properties: { Word: { type: "string", description: "The word" } },
        required: ["Word"],
      },
    };
  }
}
