// What an author of an Aptix tool imports: types, the envelope of results, and a registry for tests.
export { InvokeResult } from "./aptix/envelope.ts";
export { AgentToolRegistry } from "./aptix/registry.ts";
export type { AgentToolExecutionContext, IAgentTool } from "./aptix/tool-class.ts";
export type { IAdminLogger } from "./aptix/logger.ts";
