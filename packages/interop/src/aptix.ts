// What an author of an Aptix tool imports: its types, its envelope, and the registry of its tests.
export { InvokeResult } from "./aptix/envelope.ts";
export { AgentToolRegistry } from "./aptix/registry.ts";
export type { AgentToolExecutionContext, IAgentTool } from "./aptix/tool-class.ts";
export type { IAdminLogger } from "./aptix/logger.ts";
