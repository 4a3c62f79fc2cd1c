import { data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { config, type Settings } from "./config.ts";
import { declare } from "./declarations.ts";
import { describeAll, describeNamed, findTools } from "./find-tools.ts";
import { noTools, toolsForPrograms, type Services } from "./services.ts";
import { describeToolsUsage as usage } from "./usage.ts";

const schema = z.strictObject({
  names: z.array(z.string().min(1)).min(1).max(50).optional().describe("Tools to declare in full"),
  query: z.string().min(1).max(500).optional().describe("What is to be done, in a few words"),
});

/** Makes the tool `describe_tools`, which declares the tools that a program may call. */
export function createDescribeTools(settings: Settings = {}, services: Services = noTools) {
  const { tools: globs } = config.parse(settings);
  return defineTool({
    name: "describe_tools",
    description:
      "Shows the tools that a program may call, as TypeScript declarations. Use before run_program, for tools whose arguments are not known yet; not to call a tool.",
    summary: "Shows the tools that a program may call.",
    usage,
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    alwaysOffered: true,
    idempotent: true,
    tags: ["programs"],
    version: "1.0.0",
    async execute({ names, query }, context) {
      const tools = await toolsForPrograms(services, globs, context);
      if (names === undefined)
        return data({
          declarations: query === undefined ? describeAll(tools) : declare(findTools(query, tools)),
        });
      const found = describeNamed(names, tools);
      if ("text" in found) return data({ declarations: found.text });
      const hint = found.nearest.length === 0 ? "" : ` Did you mean ${found.nearest.join(" or ")}?`;
      return failure(`No tool that a program may call is named ${found.missing}.${hint}`, {
        code: "NO_SUCH_TOOL",
      });
    },
  });
}
