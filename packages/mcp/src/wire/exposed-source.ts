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

/** Kinds of questions that a server may ask the client in front of the host. */
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
 * What one mounted server offers besides tools. Each request is a call of an internal tool, so that policy, approvals, limits,
 * lock file and audit see it. The tools of items are in the lock file, and an item that has changed is not listed.
 */
export interface PublishedSource {
  /** The id of the entry. */
  readonly name: string;
  /** The groups that the plan exposes. */
  readonly exposes: readonly ("resources" | "prompts")[];
  /** Returns the name under which the internal tool for a request is mounted. */
  readonly toolFor: (request: ExposedRequest) => string;
  /** The items that are mounted, each with the name of its internal tool. */
  readonly items: <Kind extends keyof ExposedItems>(
    kind: Kind,
  ) => readonly { readonly tool: string; readonly item: ExposedItems[Kind] }[];
  /** Return the address under which clients of this host see a resource, and the server's own address. */
  readonly servedUri: (uri: string) => string;
  readonly ownUri: (uri: string) => string;
  /** Ends a subscription. This is no call of a tool, because a client needs no permission for it. */
  readonly unsubscribe: (uri: string) => Promise<void>;
}

/** A source of resources for one client: a mounted server, or the skills of the host. */
export interface ResourceSource {
  /** The id of the entry. */
  readonly name: string;
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  /** Returns no contents for an address that it does not have. Rejects with an error that the client may read. */
  readResource(uri: string): Promise<ReadResourceResult>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

/** Everything that one mounted server exposes to one client. */
export interface ExposedSource extends ResourceSource {
  /** The groups that the plan exposes. */
  readonly exposes: readonly ("resources" | "prompts")[];
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(params: GetPromptRequest["params"]): Promise<GetPromptResult>;
  complete(params: CompleteRequest["params"]): Promise<CompleteResult>;
}
