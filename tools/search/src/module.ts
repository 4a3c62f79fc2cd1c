import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import type { ParsedSettings } from "./config.ts";
import { globIn } from "./glob.ts";
import { grepIn } from "./grep.ts";
import { openSearcher } from "./searcher.ts";

/** Mounts the search tools for the folders that the plan allows. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const planFolder = coordinator.getCapability("session.working_dir") ?? undefined;
  const searcher = openSearcher(settings, {
    planFolder,
    secretPaths: () => z.array(z.string()).catch([]).parse(coordinator.getCapability("session.secret_paths")),
  });
  coordinator.registerCleanup(() => searcher.guard.close());
  coordinator.mount("tools", grepIn(searcher));
  coordinator.mount("tools", globIn(searcher));
}
