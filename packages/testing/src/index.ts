// Fakes and helpers for tests.
export { MockTool, type MockToolOptions } from "./fakes/mock-tool.ts";
export {
  createReadyCoordinator,
  createTestCoordinator,
  recordMounts,
  TestCoordinator,
  type MountRecord,
  type Recorded,
} from "./fakes/test-coordinator.ts";
export { createEventRecorder, type EventRecorder, type RecordedEvent } from "./fakes/event-recorder.ts";
export {
  createMockContext,
  createScriptedApprover,
  runScript,
  type MockContext,
  type ScriptedAnswer,
  type ScriptedApprover,
} from "./fakes/scripted.ts";
export { createWorkspace, type Workspace } from "./fakes/workspace.ts";
export { readManifest } from "./fakes/read-manifest.ts";
export { replayHost, type ReplayHost } from "./fakes/replay-host.ts";
export { waitFor, type WaitOptions } from "./fakes/wait-for.ts";

// Checking a tool module.
export { checkToolModule } from "./check/check-module.ts";
export type { CheckOptions } from "./check/options.ts";
export { addExternalFindings, type CheckStep, type ExternalFinding } from "./check/external-findings.ts";
export { coreProfile } from "./rules/core-profile.ts";
export { formatReport, type CheckReport, type Finding, type Verdict } from "./check/report.ts";
export type { ArgumentTable } from "./trial/trial-calls.ts";
export { sampleArguments } from "./trial/sample.ts";
export type { Extension, ModuleExports } from "./trial/trial.ts";

// Checking a store.
export type { StoreCase, StorePair } from "./store/store-case.ts";
export { storeCases } from "./store/store-cases.ts";
