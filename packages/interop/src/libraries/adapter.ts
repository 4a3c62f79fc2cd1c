import { ToolmountError, type ToolAdapter } from "@toolmount/core";
import { adaptLibraryModule } from "./module.ts";
import { shapeOf } from "./shape.ts";

/**
 * Renders tools of other libraries: the AI SDK, LangChain, OpenAI Agents, Mastra, Anthropic's SDKs, and a schema with a
 * function. A module without `mount` is searched for them; a tool without a name has the one under which it is mounted.
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
