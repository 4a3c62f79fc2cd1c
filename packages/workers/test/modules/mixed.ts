// A file that only exports tools: one of toolmount, and a class of Aptix, which only a host with an adapter can use.
export { probe } from "./by-hand.ts";

export class Weather {
  static readonly ToolName = "weather";
  static GetSchema(): object {
    return { type: "object", properties: {} };
  }
  async ExecuteAsync(): Promise<string> {
    return "sunny";
  }
}
