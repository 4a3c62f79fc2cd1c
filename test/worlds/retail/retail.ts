import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { readDatabase } from "./database.ts";
import { keepJournal } from "../journal.ts";
import { madeAgain } from "../made-again.ts";
import { createDeliveredTools } from "./delivered-tools.ts";
import { createOrderTools } from "./order-tools.ts";
import { createReadTools } from "./read-tools.ts";

export const config = z.strictObject({
  /** Path of a JSON file with the tables `products`, `users` and `orders`. It is read once, and never written. */
  database: z.string().min(1),
  /** Path of a file that keeps the calls beyond this process; empty: the state ends with the mount. */
  journal: z.string().default(""),
});

/** One process makes all calls of an entry that runs in processes. */
export const keepsState = true;

/** Mounts the shop. Each mount has a database of its own, which `world.state` shows. */
export async function mount(coordinator: Coordinator, settings: z.output<typeof config>): Promise<void> {
  const world = await madeAgain(async () => {
    const shop = await readDatabase(settings.database);
    const tools = [...createReadTools(shop), ...createOrderTools(shop), ...createDeliveredTools(shop)];
    return { tools, state: () => shop };
  });
  for (const tool of await keepJournal(settings.journal, world.tools)) coordinator.mount("tools", tool);
  coordinator.registerCapability("world.state", () => world.state());
}
