import { createHost, data, defineTool, type JsonObject, type ToolInfo } from "@toolmount/core";
import { z } from "zod";
import type { RecordedStep } from "../src/index.ts";

/** The tools of recorded sessions: some read, and some have an argument that decides. */
export const infos = async (): Promise<readonly ToolInfo[]> => {
  const host = createHost();
  const make = (name: string, more: object = {}) =>
    host.coordinator.mount(
      "tools",
      defineTool({
        name,
        description: "Used in tests.",
        category: "side_effect",
        consequenceLevel: "medium",
        requiresConfirmation: false,
        schema: z.looseObject({}),
        execute: () => data(null),
        ...more,
      }),
    );
  make("list_orders", { category: "read" });
  make("read_mail", { category: "read" });
  make("read_account", { category: "read" });
  make("refund_order", { control: ["order"] });
  make("cancel_order", { control: ["order"] });
  make("open_page", { control: ["url"] });
  return host.tools();
};

let count = 0;

/** A call of a session that ended. */
export const step = (
  tool: string,
  given: JsonObject,
  prompt: string,
  { value = null, outcome = "ran" }: Partial<Pick<RecordedStep, "value" | "outcome">> = {},
): RecordedStep => ({
  id: `call ${++count}`,
  tool,
  arguments: given,
  prompts: [prompt],
  value,
  isError: false,
  outcome,
});
