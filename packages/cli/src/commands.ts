import type { Command } from "commander";
import type { Shell } from "./process/shell.ts";

type Load = () => Promise<{ readonly define: (command: Command, shell: Shell) => void }>;

/** One command. Its file is imported when the command is used, and defines the arguments, options and action. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: Load;
  /** Its subcommands, such as `package create`. */
  readonly commands?: readonly CommandRow[];
  /** Whether the help and the completion leave it out, because another command does the same. */
  readonly hidden?: boolean;
}

/** Commands under one title of the help. */
interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandRow[];
}

function row(name: string, summary: string, load: Load, commands: readonly CommandRow[] = []): CommandRow {
  return { name, summary, load, commands };
}

function hidden(name: string, summary: string, load: Load): CommandRow {
  return { ...row(name, summary, load), hidden: true };
}

/** Every command, in the order of the help. For a new command, write a file below `commands/` and add a row here. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Write a plan:",
    commands: [
      row("init", "Write a plan and a first tool", () => import("./commands/plan/init.ts")),
      row("add", "Add a module to a plan", () => import("./commands/plan/add.ts")),
      row("remove", "Remove a module from a plan", () => import("./commands/plan/remove.ts")),
      row(
        "import",
        "Add the MCP servers that another application lists",
        () => import("./commands/plan/import.ts"),
      ),
      row(
        "install",
        "Fetch the packages that the plan names by version or repository",
        () => import("./commands/plan/install.ts"),
      ),
      row(
        "lock",
        "Record what the tools are in a lock file, and report changes",
        () => import("./commands/plan/lock.ts"),
      ),
    ],
  },
  {
    title: "Look at a plan:",
    commands: [
      row("check", "Report every problem of a plan", () => import("./commands/plan/check.ts")),
      row(
        "list",
        "List the tools that a plan mounts, or what they cost",
        () => import("./commands/plan/list.ts"),
        [
          row(
            "cost",
            "Count the tokens that the offered tools cost in each request",
            () => import("./commands/plan/cost.ts"),
          ),
        ],
      ),
      row(
        "describe",
        "Show a tool: its arguments, what shaped it, and what decides its calls",
        () => import("./commands/plan/describe.ts"),
      ),
      row(
        "policy",
        "Compare a policy with recorded calls, and learn rules from them",
        () => import("./commands/plan/policy.ts"),
      ),
      row(
        "print",
        "Print the plan with its parts, or the schema of plans",
        () => import("./commands/plan/print.ts"),
        [row("schema", "Print the JSON Schema of plans", () => import("./commands/plan/schema.ts"))],
      ),
      row("diff", "Compare two plans", () => import("./commands/plan/diff.ts")),
      row("test", "Run the plan's own tests", () => import("./commands/plan/test.ts"), [
        row(
          "prompts",
          "Ask a model the plan's prompts, and show which tools it chooses",
          () => import("./commands/agent/eval.ts"),
        ),
        row("swap", "Exchange the descriptions of two tools", () => import("./commands/agent/eval-swap.ts")),
        row(
          "improve",
          "Find a better description of a tool",
          () => import("./commands/agent/eval-improve.ts"),
        ),
      ]),
      row(
        "doctor",
        "Report what this machine and the plan's packages lack",
        () => import("./commands/plan/doctor.ts"),
        [
          row(
            "status",
            "Mount the plan and show the state of each module",
            () => import("./commands/plan/status.ts"),
          ),
          row(
            "updates",
            "Show the packages of the plan that have a newer version",
            () => import("./commands/plan/outdated.ts"),
          ),
          row(
            "models",
            "List the providers of models and what each lacks, or the models of a server",
            () => import("./commands/agent/models.ts"),
          ),
          row("servers", "List the servers of a plan", () => import("./commands/fleet/servers.ts")),
        ],
      ),
      row(
        "types",
        "Write the tools as TypeScript: their types, and a typed client",
        () => import("./commands/plan/types.ts"),
      ),
      row(
        "completion",
        "Print the script with which a shell completes commands, options and tools",
        () => import("./commands/completion.ts"),
      ),
    ],
  },
  {
    title: "Call tools:",
    commands: [
      row("call", "Call one tool and print its outcome", () => import("./commands/calls/call.ts")),
      row("program", "Run a program that calls tools", () => import("./commands/calls/program.ts"), [
        row("list", "List the programs of the audit", () => import("./commands/calls/program-list.ts")),
        row("show", "Show one, with its calls", () => import("./commands/calls/program-show.ts")),
      ]),
      row("serve", "Serve the tools of a plan to MCP clients", () => import("./commands/calls/serve.ts"), [
        row(
          "tokens",
          "List, add and remove the tokens of a server over HTTP",
          () => import("./commands/calls/tokens.ts"),
        ),
        row(
          "reload",
          "Mount a changed plan at each server of its store in turn",
          () => import("./commands/calls/reload.ts"),
        ),
      ]),
      row(
        "guard",
        "Put a plan before the MCP servers that an application lists",
        () => import("./commands/calls/guard.ts"),
        [row("connect", "Only add the plan to the list", () => import("./commands/calls/connect.ts"))],
      ),
      row("auth", "Sign in to an MCP server of the plan", () => import("./commands/calls/auth.ts")),
      row(
        "fleet",
        "Show a fleet: workers, versions, load, and calls that wait",
        () => import("./commands/fleet/fleet.ts"),
        [
          row(
            "work",
            "Run the calls that other hosts send to a fleet",
            () => import("./commands/fleet/worker.ts"),
          ),
        ],
      ),
      row("resume", "Resume a pending call", () => import("./commands/calls/resume.ts")),
      row(
        "approvals",
        "List calls that wait for an answer; approve, deny or revoke",
        () => import("./commands/calls/approvals.ts"),
      ),
      row(
        "keep",
        "Show what waits in the layer of a session; keep it, or drop it",
        () => import("./commands/calls/keep.ts"),
      ),
      row("undo", "Undo what calls of a session changed", () => import("./commands/calls/undo.ts")),
      row(
        "audit",
        "Show the audit of decisions and calls, or verify it",
        () => import("./commands/calls/audit.ts"),
        [
          row("sign", "Print a signature of its chains", () => import("./commands/calls/audit-sign.ts")),
          row("prune", "Delete old records", () => import("./commands/calls/audit-prune.ts")),
        ],
      ),
    ],
  },
  {
    title: "Work with a model:",
    commands: [
      row("run", "Run one turn of a model over the tools", () => import("./commands/agent/run.ts")),
      row("chat", "Talk with a model over the tools", () => import("./commands/agent/chat.ts")),
      row(
        "sessions",
        "List, show, fork, rewind, resume and delete sessions of a model",
        () => import("./commands/agent/sessions.ts"),
      ),
    ],
  },
  {
    title: "Write a tool:",
    commands: [
      row(
        "package",
        "Create a package with a tool, check it, write its manifest, publish a plan",
        () => import("./commands/module/package.ts"),
        [
          row("create", "Create a package with one tool", () => import("./commands/module/create.ts")),
          row(
            "validate",
            "Check a tool module against the contract",
            () => import("./commands/module/validate.ts"),
          ),
          row(
            "manifest",
            "Write into package.json what a package mounts",
            () => import("./commands/module/manifest.ts"),
          ),
          row("publish", "Write the server.json of a plan", () => import("./commands/plan/publish.ts")),
        ],
      ),
      // Not in the help, because `describe` shows the same.
      hidden(
        "why",
        "Show the lines that shaped a tool, and what decides its calls",
        () => import("./commands/plan/why.ts"),
      ),
      // Not in the help, because people write `toolmount help <code>`.
      hidden(
        "explain",
        "Show what an error code means, and what to do",
        () => import("./commands/plan/explain.ts"),
      ),
    ],
  },
];
