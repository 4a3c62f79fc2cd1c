export { MockTool, type MockToolOptions } from "./mock-tool.ts";
export {
  createReadyCoordinator,
  createTestCoordinator,
  recordMounts,
  type MountRecord,
  type TestCoordinator,
} from "./test-coordinator.ts";
export { createEventRecorder, type EventRecorder, type RecordedEvent } from "./event-recorder.ts";
export {
  createMockContext,
  createScriptedApprover,
  runScript,
  type MockContext,
  type ScriptedAnswer,
  type ScriptedApprover,
} from "./scripted.ts";
export { createWorkspace, type Workspace } from "./workspace.ts";
export { readManifest } from "./read-manifest.ts";
export { waitFor, type WaitOptions } from "./wait-for.ts";
export { checkToolModule, type CheckOptions } from "./check-module.ts";
export { addIncidents, type CheckStep, type Incident } from "./incidents.ts";
export { coreProfile } from "./core-profile.ts";
export { formatReport, type CheckReport, type Finding, type Verdict } from "./report.ts";
export type { ArgumentTable } from "./trial-calls.ts";
export type { Extension, ModuleExports } from "./trial.ts";
