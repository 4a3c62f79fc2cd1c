import type { Command } from "commander";
import type { Shell } from "./process/shell.ts";

/** One command. Its file is imported when the command is used, and adds its arguments, options and action. */
interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: (command: Command, shell: Shell) => void }>;
}

/** Commands under one title of the help. */
interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandRow[];
}

/** Every command, in the order of the help. A new one is a file below `commands/`, and a row here. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Write a plan:",
    commands: [
      {
        name: "init",
        summary: "Write a plan and a first tool",
        load: () => import("./commands/plan/init.ts"),
      },
      { name: "add", summary: "Add a module to a plan", load: () => import("./commands/plan/add.ts") },
      {
        name: "remove",
        summary: "Remove a module from a plan",
        load: () => import("./commands/plan/remove.ts"),
      },
      {
        name: "import",
        summary: "Add the MCP servers that another application lists",
        load: () => import("./commands/plan/import.ts"),
      },
      { name: "publish", summary: "Write its server.json", load: () => import("./commands/plan/publish.ts") },
      {
        name: "install",
        summary: "Fetch the packages that the plan names by version or repository",
        load: () => import("./commands/plan/install.ts"),
      },
      {
        name: "lock",
        summary: "Record what the tools are in a lock file, and report changes",
        load: () => import("./commands/plan/lock.ts"),
      },
    ],
  },
  {
    title: "Look at a plan:",
    commands: [
      {
        name: "check",
        summary: "Report every problem of a plan",
        load: () => import("./commands/plan/check.ts"),
      },
      {
        name: "list",
        summary: "List the tools that a plan mounts",
        load: () => import("./commands/plan/list.ts"),
      },
      {
        name: "describe",
        summary: "Show a tool: its guidance, its arguments and an example call",
        load: () => import("./commands/plan/describe.ts"),
      },
      {
        name: "explain",
        summary: "Show what an error code means, and what to do",
        load: () => import("./commands/plan/explain.ts"),
      },
      {
        name: "why",
        summary: "Show the lines that shaped a tool, and what decides its calls",
        load: () => import("./commands/plan/why.ts"),
      },
      {
        name: "policy",
        summary: "Compare a policy with recorded calls, and learn rules from them",
        load: () => import("./commands/plan/policy.ts"),
      },
      {
        name: "print",
        summary: "Print the plan with all its layers, each value with its origin",
        load: () => import("./commands/plan/print.ts"),
      },
      { name: "diff", summary: "Compare two plans", load: () => import("./commands/plan/diff.ts") },
      {
        name: "status",
        summary: "Mount the plan and show the state of each module",
        load: () => import("./commands/plan/status.ts"),
      },
      {
        name: "test",
        summary: "Run the plan's own tests",
        load: () => import("./commands/plan/test.ts"),
      },
      {
        name: "doctor",
        summary: "Report what this machine and the plan's packages lack",
        load: () => import("./commands/plan/doctor.ts"),
      },
      {
        name: "cost",
        summary: "Count the tokens that the offered tools cost in each request",
        load: () => import("./commands/plan/cost.ts"),
      },
      {
        name: "types",
        summary: "Write the tools as TypeScript: their types, and a typed client",
        load: () => import("./commands/plan/types.ts"),
      },
      {
        name: "outdated",
        summary: "Show the packages of the plan that have a newer version",
        load: () => import("./commands/plan/outdated.ts"),
      },
      {
        name: "schema",
        summary: "Print the JSON Schema of plans, for editors",
        load: () => import("./commands/plan/schema.ts"),
      },
      {
        name: "completion",
        summary: "Print the script with which a shell completes commands, options and tools",
        load: () => import("./commands/completion.ts"),
      },
    ],
  },
  {
    title: "Call tools:",
    commands: [
      {
        name: "call",
        summary: "Call one tool and print its outcome",
        load: () => import("./commands/calls/call.ts"),
      },
      {
        name: "program",
        summary: "Run a program that calls tools",
        load: () => import("./commands/calls/program.ts"),
      },
      {
        name: "serve",
        summary: "Serve the tools of a plan to MCP clients",
        load: () => import("./commands/calls/serve.ts"),
      },
      {
        name: "tokens",
        summary: "List, add and remove the tokens of a server over HTTP",
        load: () => import("./commands/calls/tokens.ts"),
      },
      {
        name: "connect",
        summary: "Add the plan to an application's list of MCP servers",
        load: () => import("./commands/calls/connect.ts"),
      },
      {
        name: "auth",
        summary: "Sign in to an MCP server of the plan",
        load: () => import("./commands/calls/auth.ts"),
      },
      {
        name: "worker",
        summary: "Run the calls that other hosts send to a fleet",
        load: () => import("./commands/fleet/worker.ts"),
      },
      {
        name: "fleet",
        summary: "Show a fleet: workers, versions, load, and calls that wait",
        load: () => import("./commands/fleet/fleet.ts"),
      },
      { name: "resume", summary: "Resume a pending call", load: () => import("./commands/calls/resume.ts") },
      {
        name: "approvals",
        summary: "List calls that wait for an answer; approve, deny or revoke",
        load: () => import("./commands/calls/approvals.ts"),
      },
      {
        name: "undo",
        summary: "Undo what calls of a session changed",
        load: () => import("./commands/calls/undo.ts"),
      },
      {
        name: "audit",
        summary: "Show the audit of decisions and calls, or verify it",
        load: () => import("./commands/calls/audit.ts"),
      },
    ],
  },
  {
    title: "Work with a model:",
    commands: [
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
        name: "eval",
        summary: "Ask a model the plan's prompts, and show which tools it chooses",
        load: () => import("./commands/agent/eval.ts"),
      },
      {
        name: "sessions",
        summary: "List, show, fork, rewind, resume and delete sessions of a model",
        load: () => import("./commands/agent/sessions.ts"),
      },
      {
        name: "models",
        summary: "List the providers of models and what each lacks, or the models of a server",
        load: () => import("./commands/agent/models.ts"),
      },
    ],
  },
  {
    title: "Write a tool:",
    commands: [
      {
        name: "create",
        summary: "Create a package with one tool",
        load: () => import("./commands/module/create.ts"),
      },
      {
        name: "validate",
        summary: "Check a tool module against the contract",
        load: () => import("./commands/module/validate.ts"),
      },
      {
        name: "module",
        summary: "The long name of validate: module validate <path> --type tool",
        load: () => import("./commands/module/module.ts"),
      },
      {
        name: "manifest",
        summary: "Write into package.json what a package mounts",
        load: () => import("./commands/module/manifest.ts"),
      },
    ],
  },
];
