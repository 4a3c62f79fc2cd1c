import type { Coordinator } from "@toolmount/core";
import { copyAttributes } from "@toolmount/paths";
import { z } from "zod";
import type { ParsedSettings } from "./config.ts";
import { createDirectoryIn } from "./tools/create-directory.ts";
import { deleteFileIn } from "./tools/delete-file.ts";
import { editFileIn } from "./tools/edit-file.ts";
import { listDirectoryIn } from "./tools/list-directory.ts";
import { moveFileIn } from "./tools/move-file.ts";
import { multiEditFileIn } from "./tools/multi-edit-file.ts";
import { readFileIn } from "./tools/read-file.ts";
import { openWorkspace, type MentionResolver, type Services } from "./files/workspace.ts";
import { writeFileIn } from "./tools/write-file.ts";

/** The events that these tools emit, each with `path` and most with `bytes`. */
const events = ["artifact:read", "artifact:write", "artifact:move", "artifact:delete"];

/** Mounts the file tools for the folders that the plan allows. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const workspace = openWorkspace(settings, servicesOf(coordinator));
  coordinator.registerContributor("observability.events", "filesystem", () => events);
  coordinator.mount("tools", readFileIn(workspace));
  coordinator.mount("tools", listDirectoryIn(workspace));
  coordinator.mount("tools", writeFileIn(workspace));
  coordinator.mount("tools", editFileIn(workspace));
  coordinator.mount("tools", multiEditFileIn(workspace));
  coordinator.mount("tools", moveFileIn(workspace));
  coordinator.mount("tools", deleteFileIn(workspace));
  coordinator.mount("tools", createDirectoryIn(workspace));
}

function servicesOf(coordinator: Coordinator): Services {
  const { hooks, logger } = coordinator;
  return {
    copyAttributes,
    planFolder: coordinator.getCapability("session.working_dir") ?? undefined,
    layer: coordinator.getCapability("session.layer") ?? undefined,
    protectedPaths: () =>
      z.array(z.string()).catch([]).parse(coordinator.getCapability("session.protected_paths")),
    secretPaths: () => z.array(z.string()).catch([]).parse(coordinator.getCapability("session.secret_paths")),
    resolveMention: () => mentionResolver(coordinator.getCapability("mention_resolver")),
    announce(event, data) {
      hooks
        .emit(event, data)
        .catch((error: unknown) => logger.warn({ err: error, event }, "an event could not be emitted"));
    },
  };
}

/** Returns the resolver of mentions from a capability, which is a function or an object with the method `resolve`. */
function mentionResolver(capability: unknown): MentionResolver | undefined {
  if (typeof capability === "function") return (mention) => capability(mention) as string | null;
  if (typeof capability !== "object" || capability === null || !("resolve" in capability)) return undefined;
  const resolver = capability as { resolve: MentionResolver };
  return (mention) => resolver.resolve(mention);
}
