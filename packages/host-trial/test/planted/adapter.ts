import type { PlantedFault } from "./faults.ts";
import { plantedHost } from "./planted-host.ts";

/** The planted host of the fault that the environment names. */
export const adapter = plantedHost((process.env["PLANTED_FAULT"] ?? "none") as PlantedFault);
