import type { Coordinator } from "@toolmount/core";
import type { ParsedSettings } from "./config.ts";
import { globIn } from "./glob.ts";
import { grepIn } from "./grep.ts";
import { openSearcher } from "./searcher.ts";

/** Mounts the search tools over the folders that the plan allows. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const planFolder = coordinator.getCapability("session.working_dir") ?? undefined;
  const searcher = openSearcher(settings, { planFolder });
  coordinator.mount("tools", grepIn(searcher));
  coordinator.mount("tools", globIn(searcher));
}
