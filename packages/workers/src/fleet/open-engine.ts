import { ToolmountError, type Coordinator, type FleetEngine, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";

/** Opens what delivers calls: the engine that a module of the host brings, or else that of a URL. */
export async function openEngineOf(
  coordinator: Pick<Coordinator, "getCapability">,
  url: string,
  logger: Logger,
): Promise<FleetEngine> {
  const own = coordinator.getCapability("fleet.engine");
  return own === null ? openEngine(url, logger) : own();
}

/**
 * Opens the engine of a URL: `redis://…` or `postgres://…`. Rejects with `EXTENSION_MISSING` when the engine's packages
 * are not installed.
 */
export async function openEngine(url: string, logger: Logger): Promise<FleetEngine> {
  await requirePackages();
  const { openBullmq } = await import("./bullmq.ts");
  return openBullmq(url, logger);
}

/** The engine's packages have 15 MB, so only those who run a fleet install them. */
async function requirePackages(): Promise<void> {
  try {
    await Promise.all([import("bullmq"), import("ioredis")]);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const install = "npm install bullmq ioredis";
    throw new ToolmountError("EXTENSION_MISSING", { what: "a fleet", module: "bullmq", install }, { cause });
  }
}

/** Why calls cannot be delivered here; null when every package of the engines can be loaded. */
export async function examineEngines(): Promise<string | null> {
  try {
    await requirePackages();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
