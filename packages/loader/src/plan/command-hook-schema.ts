import { z } from "zod";

const needed = "the command of a hook is a text, which a shell runs, or a list: the program and its words";

/** An entry of `hooks` that runs a program, instead of mounting a module. */
export const commandHookSchema = z.strictObject({
  command: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1, { error: needed })], { error: needed })
    .describe("The program, run in the plan's folder: a text is run by a shell, a list without one."),
  id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The name of the entry, by which other plans change it."),
  events: z
    .array(z.enum(["tool:pre", "tool:post"]))
    .min(1)
    .default(["tool:pre"])
    .describe("When it runs: before a call is decided, after a tool has run."),
  tools: z
    .array(z.string().regex(/^[\w.*?-]{1,128}$/, { error: "a tool's name, or a glob of * and ?" }))
    .min(1)
    .default(["*"])
    .describe("The tools for whose calls it runs: names, or globs of them."),
  timeout: z
    .int()
    .positive()
    .max(600_000)
    .default(5_000)
    .describe("Milliseconds that it may run; then it is killed, and has failed."),
  onFailure: z
    .enum(["deny", "allow"])
    .default("deny")
    .describe(
      "What becomes of the call when the hook fails: any exit code but 0 and 2, a timeout, too much output.",
    ),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string())
    .default({})
    .describe("Variables of the program, beside PATH, HOME and a few others."),
  dialect: z
    .enum(["claude", "gemini"])
    .default("claude")
    .describe(
      "Whose names of events the program expects: PreToolUse of Claude Code, or BeforeTool of Gemini CLI.",
    ),
  priority: z.int().default(0).describe("Lower runs first, among all hooks."),
});

export type CommandHook = Omit<z.output<typeof commandHookSchema>, "id">;
