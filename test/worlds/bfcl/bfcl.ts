import { readFile } from "node:fs/promises";
import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { keepJournal } from "../journal.ts";
import { madeAgain } from "../made-again.ts";
import { createCar } from "./car.ts";
import { createFileSystem } from "./file-system.ts";
import { createMath } from "./math.ts";
import { createMessages } from "./messages.ts";
import type { Entry, Service } from "./service.ts";
import { defaults } from "./tables.ts";
import { createTickets } from "./tickets.ts";
import { createTrading } from "./trading.ts";
import { createTravel } from "./travel.ts";
import { createTweets } from "./tweets.ts";

const classes = {
  GorillaFileSystem: createFileSystem,
  MathAPI: createMath,
  MessageAPI: createMessages,
  TwitterAPI: createTweets,
  TicketAPI: createTickets,
  TradingBot: createTrading,
  TravelAPI: createTravel,
  VehicleControlAPI: createCar,
} as const;

const configurations = z.partialRecord(
  z.enum(Object.keys(classes) as (keyof typeof classes)[]),
  z.record(z.string(), z.json()),
);

export const config = z.strictObject({
  /** From class to configuration: the object itself, or the path of a JSON file with it. The file is never written. */
  initial: z.union([z.string().min(1), configurations]),
  /** Path of a file that keeps the calls beyond this process; empty: the state ends with the mount. */
  journal: z.string().default(""),
});

/** One process makes all calls of an entry that runs in processes. */
export const keepsState = true;

/** Mounts the services that `initial` names. Each mount has a state of its own, which `world.state` shows. */
export async function mount(coordinator: Coordinator, settings: z.output<typeof config>): Promise<void> {
  const world = await madeAgain(async () => {
    const services = await createServices(settings.initial);
    const tools = Object.values(services).flatMap((service) => service.tools);
    const states = () => Object.entries(services).map(([name, service]) => [name, service.state()] as const);
    return { tools, state: () => Object.fromEntries(states()) };
  });
  for (const tool of await keepJournal(settings.journal, world.tools)) coordinator.mount("tools", tool);
  coordinator.registerCapability("world.state", () => world.state());
}

async function createServices(initial: z.output<typeof config>["initial"]): Promise<Record<string, Service>> {
  const given =
    typeof initial === "string" ? configurations.parse(JSON.parse(await readFile(initial, "utf8"))) : initial;
  const services = Object.entries(given).map(([name, configuration]) => {
    const known = name as keyof typeof classes;
    // A copy: what one host does must not show in another one of the same process.
    const whole = structuredClone<Entry>({ ...defaults[known], ...configuration });
    return [name, classes[known](whole)] as const;
  });
  return Object.fromEntries(services);
}
