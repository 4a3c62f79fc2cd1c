import { ToolmountError, type ToolAdapter } from "@toolmount/core";
import { adaptLibraryModule } from "./module.ts";
import { shapeOf } from "./shape.ts";

/**
 * The adapter for tools of other libraries (the AI SDK, LangChain, OpenAI Agents, Mastra, Anthropic's SDKs) and for objects with
 * a name, a schema and a function. In a module without `mount`, it looks for such tools. A tool without a name gets the one under
 * which it is mounted.
 */
export const libraryAdapter: ToolAdapter = {
  name: "libraries",
  recognises: (thing) => shapeOf(thing) !== null,
  adapt(thing, { name }) {
    const { shape, members } = shapeOf(thing)!;
    if (shape.isNamed || name !== undefined) return shape.convert(members, name ?? "");
    throw new ToolmountError("TOOL_INVALID", {
      tool: "",
      problem: `a tool of ${shape.library} has no name of its own; mount it with { name }`,
    });
  },
  adaptModule(exports, module = { name: "module" }) {
    const adapted = adaptLibraryModule(exports, module);
    return adapted === null ? null : { ...adapted };
  },
};
