import type {
  ClientCapabilities,
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";

/** Channel on which mounted servers offer what the plan says of them under `expose`, for the server of the host. */
export const exposedChannel = "mcp.exposed";

/** One request of a client for a prompt. */
interface PromptRound {
  readonly capabilities: ClientCapabilities;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The server's own state, as it gave it. */
  readonly requestState?: string;
}

/** What one mounted server has beside tools. Each method connects when that is needed. */
export interface ExposedSource {
  /** The id of the entry. */
  readonly name: string;
  /** As the plan says. */
  readonly exposes: readonly ("resources" | "prompts")[];
  /** Its errors say to a client why a resource is not given; those of a mounted server stay here. */
  readonly explainsErrors?: boolean;
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  readResource(uri: string): Promise<ReadResourceResult>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  listPrompts(): Promise<readonly Prompt[]>;
  /** With `round`: the client in front, and what it answers to a question of the server. */
  getPrompt(
    params: GetPromptRequest["params"],
    round: PromptRound,
  ): Promise<GetPromptResult | InputRequiredResult>;
  complete(params: CompleteRequest["params"]): Promise<CompleteResult>;
}
