import { readFile } from "node:fs/promises";
import { data, defineTool, failure, type Coordinator, type Json } from "@toolmount/core";
import { canonicalJson } from "@toolmount/core/json";
import { z } from "zod";
import { tools, type DynTool } from "./tools.ts";

export const config = z.strictObject({
  /** Path of a JSON file with one recorded run. */
  run: z.string().min(1),
});

const run = z.looseObject({
  suite: z.string(),
  steps: z.array(
    z.looseObject({
      name: z.string(),
      arguments: z.record(z.string(), z.json()),
      result: z.string().nullable(),
      data: z.json().optional(),
      error: z.string().optional(),
    }),
  ),
});

type Step = z.output<typeof run>["steps"][number];

/** Mounts the tools of a recorded run. Each call gets the first recorded answer to it that was not given yet. */
export async function mount(coordinator: Coordinator, settings: z.output<typeof config>): Promise<void> {
  const { suite, steps } = run.parse(JSON.parse(await readFile(settings.run, "utf8")));
  const left = [...steps];
  const isSame = (step: Step, name: string, given: unknown) =>
    step.name === name && canonicalJson(step.arguments) === canonicalJson(given);
  for (const tool of tools.filter(({ suites }) => suite === "all" || suites.split(" ").includes(suite)))
    coordinator.mount(
      "tools",
      createRecorded(tool, (given) => {
        const at = left.findIndex((step) => isSame(step, tool.name, given));
        return at === -1 ? undefined : left.splice(at, 1)[0];
      }),
    );
}

/** A tool whose schema lets every recorded argument through. */
function createRecorded(
  { name, category, fields, control, content }: DynTool,
  take: (given: unknown) => Step | undefined,
) {
  const names = split(fields);
  return defineTool({
    name,
    description: `Answers as the recorded ${name} did.`,
    category,
    consequenceLevel: category === "read" ? "low" : "medium",
    requiresConfirmation: false,
    schema: z.looseObject(Object.fromEntries(names.map((field) => [field, z.json().optional()]))),
    ...(control !== undefined && { control: split(control) }),
    ...(content !== undefined && { content: split(content) }),
    execute: (given) => {
      const step = take(given);
      if (step === undefined) return failure("the run has no such call");
      if (step.error !== undefined) return failure(step.error);
      return data((step.data ?? step.result ?? "") as Json);
    },
  });
}

function split(words: string): readonly string[] {
  return words.split(" ").filter((word) => word !== "");
}
