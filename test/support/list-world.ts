import { appendFileSync } from "node:fs";
import { createHost, data, defineTool, type Host, type StateStore } from "@toolmount/core";
import { z } from "zod";

/** A host whose tool books into an account: a file with a line for each booking. A second one would be seen there. */
export function createListWorld(store: StateStore, account: string, step: () => void = () => {}): Host {
  const host = createHost({ store, approvals: { leaseMs: 200 } });
  const book = defineTool({
    name: "book",
    description: "Books. Use in tests. Not for anything else.",
    schema: z.strictObject({ id: z.string() }),
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: true,
    execute({ id }) {
      step();
      appendFileSync(account, `${id}\n`);
      step();
      return data({ id });
    },
  });
  host.coordinator.mount("tools", book);
  return host;
}
