// The types that an author of a Tool-Forge tool imports.
export type {
  ForgeContext as ToolContext,
  ForgeResult as ToolResult,
  ForgeTool as ToolDefinition,
} from "./forge/adapter.ts";
