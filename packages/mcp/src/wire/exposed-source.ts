import type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";

/** Channel on which mounted servers offer what the plan says of them under `expose`, for the server of the host. */
export const exposedChannel = "mcp.exposed";

/** What one mounted server has beside tools. Each method connects when that is needed. */
export interface ExposedSource {
  /** The id of the entry. */
  readonly name: string;
  /** As the plan says. */
  readonly exposes: readonly ("resources" | "prompts")[];
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  readResource(uri: string): Promise<ReadResourceResult>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(params: GetPromptRequest["params"]): Promise<GetPromptResult>;
  complete(params: CompleteRequest["params"]): Promise<CompleteResult>;
}
