// The shapes of MCP in this package's public types. The package bundles the SDK, so programs that install it do not have the
// SDK's types. The types here and those of the SDK can be assigned to each other.

/** Hints of a server about a tool. Source: MCP, `ToolAnnotations`. */
export interface McpAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** Members that every block may have. */
interface Marked {
  annotations?:
    | {
        audience?: ("user" | "assistant")[] | undefined;
        priority?: number | undefined;
        lastModified?: string | undefined;
      }
    | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** One block of a result's content. Source: MCP, `ContentBlock`. */
export type McpBlock =
  | (Marked & { type: "text"; text: string })
  | (Marked & { type: "image" | "audio"; data: string; mimeType: string })
  | (Marked & { type: "resource_link"; uri: string; name: string; mimeType?: string | undefined })
  | (Marked & { type: "resource"; resource: McpResource });

/** What a resource contains: a text, or bytes in base64. */
export type McpResource =
  | { uri: string; mimeType?: string | undefined; text: string }
  | { uri: string; mimeType?: string | undefined; blob: string };

/** The result of a call. Source: MCP, `CallToolResult`. */
export interface McpResult {
  content: McpBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
  [member: string]: unknown;
}

/** Gets one sentence about something that a server wrote and that was left out or read as something else. */
export type Note = (sentence: string) => void;
