// A tool as Aptix writes it, without any library.
export class GreetTool {
  static ToolName = "agent_greet";
  static ToolUsageMetadata = "agent_greet: greets a person by name. Use it when the user asks to be greeted.";
  static GetSchema() {
    return {
      type: "function",
      name: "agent_greet",
      description: "Greets a person by name. Use when the user asks to be greeted, not for small talk.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "Whom to greet" } },
        required: ["name"],
      },
    };
  }
  get Name() {
    return "agent_greet";
  }
  get IsToolFullyExecutedOnServer() {
    return true;
  }
  async ExecuteAsync(argumentsJson) {
    const { name } = JSON.parse(argumentsJson);
    if (name === "stranger") throw new Error("it cannot greet a stranger");
    return { ResultJson: JSON.stringify({ Message: `Hello, ${name}!` }), Successful: true };
  }
}
