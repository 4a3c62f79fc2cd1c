export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";

/** Background commands are read and ended by later calls, so all calls must run in one process. */
export const keepsState = true;
export { createBash } from "./tools/bash.ts";
export { createShell, type ShellTools } from "./create-shell.ts";
export type { Services } from "./shell.ts";
export type { Judgement } from "./policy/judge.ts";
export type { Finding, FindingKind, Profile, Verdict } from "./script/finding.ts";
