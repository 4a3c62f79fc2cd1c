// A file that only exports tools: one of toolmount, and a class of Aptix, which needs an adapter.
export { probe } from "./by-hand.ts";

export class Weather {
  static readonly ToolName: string = "weather";
  static readonly ToolUsageMetadata: string = "Use it in tests.";
  static GetSchema(): object {
    return {
      type: "function",
      name: "weather",
      description: "Gives the weather. Use it in tests. Not for anything else.",
      parameters: { type: "object", properties: {}, required: [] },
    };
  }
  get Name(): string {
    return "weather";
  }
  get IsToolFullyExecutedOnServer(): boolean {
    return true;
  }
  async ExecuteAsync(): Promise<string> {
    return "sunny";
  }
}
