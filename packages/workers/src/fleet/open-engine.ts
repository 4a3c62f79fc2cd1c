import { ToolmountError, type Coordinator, type FleetEngine, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";

/** Opens the engine that delivers calls: one that a module of the host provides, else that of a URL. */
export async function openEngineOf(
  coordinator: Pick<Coordinator, "getCapability">,
  url: string,
  logger: Logger,
): Promise<FleetEngine> {
  const own = coordinator.getCapability("fleet.engine");
  return own === null ? openEngine(url, logger) : own();
}

/**
 * Opens the engine for a URL, `redis://…` or `postgres://…`. Rejects with `EXTENSION_MISSING` if the engine's packages are not
 * installed.
 */
export async function openEngine(url: string, logger: Logger): Promise<FleetEngine> {
  await requirePackages();
  const { openBullmq } = await import("./bullmq.ts");
  return openBullmq(url, logger);
}

/** Throws if the engine's packages are missing. They have 15 MB, so only people who run a fleet install them. */
async function requirePackages(): Promise<void> {
  try {
    await Promise.all([import("bullmq"), import("ioredis")]);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const install = "npm install bullmq ioredis";
    throw new ToolmountError("EXTENSION_MISSING", { what: "a fleet", module: "bullmq", install }, { cause });
  }
}

/** Returns why calls cannot be delivered here; null if all packages of the engines can be loaded. */
export async function examineEngines(): Promise<string | null> {
  try {
    await requirePackages();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
