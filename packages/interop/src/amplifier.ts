// What an author of an Amplifier tool imports. The kit for tests of such a tool is in @toolmount/testing.
export type { AmplifierCoordinator as ModuleCoordinator } from "./amplifier/coordinator.ts";
export { isTool } from "./amplifier/adapter.ts";
export type { AmplifierTool as Tool } from "./amplifier/adapter.ts";
export type { AmplifierReturn as ToolResult } from "./amplifier/tool-result.ts";
