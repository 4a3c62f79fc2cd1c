import type { ToolInfo } from "@toolmount/core";
import type { McpAnnotations } from "./shapes.ts";

/** Returns the standard hints for a tool of this host; undefined for a tool without a category. */
export function toAnnotations({
  category,
  consequenceLevel,
  idempotent,
}: Pick<ToolInfo, "category" | "consequenceLevel" | "idempotent">): McpAnnotations | undefined {
  if (category === undefined) return undefined;
  const readOnlyHint = category === "read";
  return {
    readOnlyHint,
    destructiveHint: category === "delete" || (!readOnlyHint && consequenceLevel === "high"),
    idempotentHint: readOnlyHint || idempotent,
    ...(category === "side_effect" && { openWorldHint: true }),
  };
}
