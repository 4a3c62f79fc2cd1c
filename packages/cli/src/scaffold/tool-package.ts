import type { ToolNames } from "./names.ts";
import { readRanges } from "./ranges.ts";
import { renderTemplates, type TemplateFiles } from "./templates.ts";

/** The files of a package with one tool. */
export async function renderToolPackage(names: ToolNames): Promise<TemplateFiles> {
  const { id, tool, type, words, module } = names;
  const ranges = Object.entries(await readRanges()).map(([name, range]) => [`range:${name}`, range]);
  return renderTemplates("tool", {
    id,
    package: names.package,
    tool,
    Type: type,
    type: `${type[0]!.toLowerCase()}${type.slice(1)}`,
    words,
    module,
    ...Object.fromEntries(ranges),
  });
}
