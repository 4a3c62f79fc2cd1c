import { InvokeResult } from "@toolmount/interop";
import type { IAdminLogger } from "../../src/aptix/logger.ts";

/** What the tool is made with. */
export interface GreetingService {
  greet(name: string): string | Promise<string>;
}

interface AptixContext {
  readonly SessionId: string | null;
  readonly UserId: string | null;
  readonly Request: { readonly ConversationId: string | null };
}

/** A tool as Aptix writes it, with services, a private argument type and envelopes. */
export class GreetTool {
  static readonly ToolName: string = "agent_greet";
  static readonly ToolUsageMetadata: string = `agent_greet: greets a person by name

Primary purpose
Creates one greeting.

Rules
- Use it when the user asks to be greeted. Do not use it for small talk.

Arguments
- name (string, required): whom to greet.
- polite (boolean, optional): adds a bow.

Error codes
- none

Good usage
- {"name":"Ada"}

Bad usage
- {"name":""}: there is no one to greet.`;
  static readonly inject: readonly string[] = ["IAdminLogger", "IGreetingService"];

  static GetSchema(): Readonly<Record<string, unknown>> {
    return {
      type: "function",
      name: "agent_greet",
      description: "Greets a person by name. Use when the user asks to be greeted, not for small talk.",
      parameters: {
        type: "object",
        properties: {
          name: { type: "string", description: "Whom to greet" },
          polite: { type: "boolean", default: false, description: "Adds a bow" },
          times: { type: "integer", description: "How often" },
        },
        required: ["name"],
      },
    };
  }

  readonly #logger: IAdminLogger;
  readonly #service: GreetingService | null;
  /** What it was called with. */
  readonly heard: string[] = [];

  constructor(logger: IAdminLogger, service: GreetingService | null) {
    this.#logger = logger;
    this.#service = service;
  }

  get Name(): string {
    return GreetTool.ToolName;
  }

  get IsToolFullyExecutedOnServer(): boolean {
    return true;
  }

  async ExecuteAsync(argumentsJson: string, context: AptixContext, signal?: AbortSignal) {
    this.heard.push(argumentsJson);
    if (argumentsJson.trim() === "")
      return InvokeResult.FromError("GreetTool requires a non-empty arguments object.");
    if (signal?.aborted === true) return InvokeResult.Create(JSON.stringify({ WasCancelled: true }));
    const { name, polite } = JSON.parse(argumentsJson) as { name: string; polite?: boolean };
    if (name.trim() === "")
      return InvokeResult.FromError("GreetTool requires a non-empty 'name' string.", "NAME_MISSING");
    this.#logger.AddCustomEvent("Info", "GreetTool.ExecuteAsync", "greeting", [
      ["Name", name],
      ["SessionId", context.SessionId ?? ""],
    ]);
    if (this.#service === null) return InvokeResult.FromError("GreetTool failed to find its service.");
    const Message = await this.#service.greet(name);
    return InvokeResult.Create(JSON.stringify({ Message: polite === true ? `${Message} *bows*` : Message }));
  }
}
