import type { Coordinator, ModeCatalog, ToolInfo } from "@toolmount/core";
import type { ParsedSettings } from "./config.ts";
import { createDescribeTools } from "./describe-tools.ts";
import { createRunProgram } from "./run-program.ts";
import { Threads } from "./sandbox/threads.ts";
import { isForPrograms, type Services } from "./services.ts";

/** Mounts `run_program` and `describe_tools`. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const services: Services = {
    tools: () => (coordinator.get("tools") as ReadonlyMap<string, ToolInfo>).values(),
    catalog: () => coordinator.get("mode-catalog") as ModeCatalog | null,
  };
  coordinator.registerCapability("tools.in_programs", (tool) => isForPrograms(tool, settings.tools));
  if (settings.alone_above !== undefined)
    coordinator.registerCapability("tools.beside_programs", settings.alone_above);
  const threads = new Threads(settings.memory_mb);
  coordinator.registerCleanup(() => threads.close());
  coordinator.mount("tools", createRunProgram(settings, services, threads));
  coordinator.mount("tools", createDescribeTools(settings, services));
}
