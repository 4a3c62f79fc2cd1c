import type { Command } from "commander";
import type { Shell } from "./process/shell.ts";

/** What a command's file exports: how it is used, and what it does. */
interface CommandFile {
  readonly define: (command: Command, shell: Shell) => void;
}

/** One command. Its file is imported when it is used, so that a command costs nothing but its line here. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandFile>;
}

/** Every command, in the order of the help. A new one is a file in `commands/`, and a line here. */
export const commands: readonly CommandRow[] = [
  { name: "check", summary: "Find every problem of a plan", load: () => import("./commands/plan/check.ts") },
  {
    name: "list",
    summary: "List the tools that a plan mounts",
    load: () => import("./commands/plan/list.ts"),
  },
  {
    name: "install",
    summary: "Fetch the packages that the plan names by version or repository",
    load: () => import("./commands/plan/install.ts"),
  },
  {
    name: "why",
    summary: "Tell which lines made a tool what it is, and what decides its calls",
    load: () => import("./commands/plan/why.ts"),
  },
  {
    name: "print",
    summary: "Print the plan of all its layers, each value with its origin",
    load: () => import("./commands/plan/print.ts"),
  },
  { name: "add", summary: "Add a module to a plan", load: () => import("./commands/plan/add.ts") },
  { name: "remove", summary: "Take a module out of a plan", load: () => import("./commands/plan/remove.ts") },
  {
    name: "import",
    summary: "Add the MCP servers that another application lists",
    load: () => import("./commands/plan/import.ts"),
  },
  {
    name: "doctor",
    summary: "Tell what is there, what is missing, and how calls can be kept apart here",
    load: () => import("./commands/plan/doctor.ts"),
  },
  {
    name: "lock",
    summary: "Write down what the tools of a plan are, and tell what has changed",
    load: () => import("./commands/plan/lock.ts"),
  },
  {
    name: "schema",
    summary: "Print the JSON Schema of plans, for editors",
    load: () => import("./commands/plan/schema.ts"),
  },
  {
    name: "call",
    summary: "Call one tool and print its outcome",
    load: () => import("./commands/calls/call.ts"),
  },
  {
    name: "serve",
    summary: "Serve the tools of a plan to MCP clients",
    load: () => import("./commands/calls/serve.ts"),
  },
  {
    name: "resume",
    summary: "Go on with a call that waited",
    load: () => import("./commands/calls/resume.ts"),
  },
  {
    name: "run",
    summary: "Run one turn of a model over the tools",
    load: () => import("./commands/agent/run.ts"),
  },
  {
    name: "chat",
    summary: "Talk with a model over the tools",
    load: () => import("./commands/agent/chat.ts"),
  },
  {
    name: "sessions",
    summary: "List, show, fork and resume sessions of a model",
    load: () => import("./commands/agent/sessions.ts"),
  },
  {
    name: "approvals",
    summary: "List what waits for an answer; approve, deny or revoke",
    load: () => import("./commands/calls/approvals.ts"),
  },
  {
    name: "audit",
    summary: "Show what was decided and run, or check it",
    load: () => import("./commands/calls/audit.ts"),
  },
  { name: "test", summary: "Run the plan's own tests", load: () => import("./commands/plan/test.ts") },
  {
    name: "manifest",
    summary: "Write what a package mounts into its package.json",
    load: () => import("./commands/module/manifest.ts"),
  },
  {
    name: "validate",
    summary: "Check a tool module against the contract",
    load: () => import("./commands/module/validate.ts"),
  },
  {
    name: "module",
    summary: "Work on a module: module validate <path> --type tool",
    load: () => import("./commands/module/module.ts"),
  },
  {
    name: "create",
    summary: "Make a package of one tool",
    load: () => import("./commands/module/create.ts"),
  },
];
