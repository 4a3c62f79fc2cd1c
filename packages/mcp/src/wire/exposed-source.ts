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

/** The items of a server that are exposed, by their kind. */
export interface ExposedItems {
  readonly prompt: Prompt;
  readonly resource: Resource;
  readonly template: ResourceTemplateType;
}

/** What a server may ask the client in front of the host. */
export type AskKind = "elicitation" | "sampling" | "roots";

/** Requests of clients that concern no single item, and questions of the server to a client. */
export type ExposedRequest =
  | "resources.list"
  | "resources.read"
  | "resources.subscribe"
  | "prompts.list"
  | "completions"
  | AskKind;

/**
 * What one mounted server has beside tools. Each request is a call of an internal tool, so that policy, approvals, limits,
 * lock file and audit see it. The tools of items are in the lock file: an item that changed is not listed.
 */
export interface PublishedSource {
  /** The id of the entry. */
  readonly name: string;
  /** As the plan says. */
  readonly exposes: readonly ("resources" | "prompts")[];
  /** The name of the internal tool for a request. */
  readonly toolFor: (request: ExposedRequest) => string;
  /** The items that are mounted, each with the name of its internal tool. */
  readonly items: <Kind extends keyof ExposedItems>(
    kind: Kind,
  ) => readonly { readonly tool: string; readonly item: ExposedItems[Kind] }[];
  /** The address under which clients of this host see a resource, and the server's own. */
  readonly servedUri: (uri: string) => string;
  readonly ownUri: (uri: string) => string;
  /** Ends a subscription; a client needs no permission for that. */
  readonly unsubscribe: (uri: string) => Promise<void>;
}

/** What has resources for one client: a mounted server, or the skills of the host. */
export interface ResourceSource {
  /** The id of the entry. */
  readonly name: string;
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  /** No contents for an address that it does not have. Rejects with what a client may read. */
  readResource(uri: string): Promise<ReadResourceResult>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

/** What one mounted server has for one client. */
export interface ExposedSource extends ResourceSource {
  /** As the plan says. */
  readonly exposes: readonly ("resources" | "prompts")[];
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(params: GetPromptRequest["params"]): Promise<GetPromptResult>;
  complete(params: CompleteRequest["params"]): Promise<CompleteResult>;
}
