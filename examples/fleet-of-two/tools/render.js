import { createHash } from "node:crypto";
import { pid } from "node:process";
import { setTimeout } from "node:timers/promises";

/** Takes some time, as rendering does: while one worker is busy, the other takes the next call. */
export const render = {
  name: "render",
  description: "Renders a page. Use it for a page with a number. Not for files.",
  schema: {
    type: "object",
    properties: { page: { type: "integer", minimum: 1 } },
    required: ["page"],
    additionalProperties: false,
  },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  idempotent: true,
  execute: async ({ page }) => {
    let digest = String(page);
    for (let round = 0; round < 20_000; round++) digest = createHash("sha256").update(digest).digest("hex");
    await setTimeout(300);
    return { data: { page, digest, worker: pid } };
  },
};
