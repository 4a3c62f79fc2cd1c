import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { readDatabase } from "./database.ts";
import { createDeliveredTools } from "./delivered-tools.ts";
import { createOrderTools } from "./order-tools.ts";
import { createReadTools } from "./read-tools.ts";

export const config = z.strictObject({
  /** Path of a JSON file with the tables `products`, `users` and `orders`. It is read once, and never written. */
  database: z.string().min(1),
});

/** Mounts the shop. Each mount has a database of its own, which `world.state` shows. */
export async function mount(coordinator: Coordinator, settings: z.output<typeof config>): Promise<void> {
  const shop = await readDatabase(settings.database);
  for (const tool of [...createReadTools(shop), ...createOrderTools(shop), ...createDeliveredTools(shop)])
    coordinator.mount("tools", tool);
  coordinator.registerCapability("world.state", () => shop);
}
