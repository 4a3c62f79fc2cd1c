import type { Coordinator } from "@toolmount/core";
import type { ParsedSettings } from "./config.ts";
import { openWeb } from "./web.ts";
import { webFetchIn } from "./tools/web-fetch.ts";
import { webSearchIn } from "./tools/web-search.ts";

/** Mounts `web_fetch` and `web_search`. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const web = openWeb(settings);
  coordinator.registerCleanup(() => web.reader.close());
  coordinator.mount("tools", webFetchIn(web));
  coordinator.mount("tools", webSearchIn(web));
}
