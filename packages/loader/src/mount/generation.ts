import type { Draft, Host, MountedModule } from "@toolmount/core";
import type { FailedUse } from "./failed-use.ts";
import type { MountContext } from "./mount-context.ts";
import type { PreparedUse } from "./prepare-module.ts";
import type { Selection } from "./select-tools.ts";

export interface MountedUse extends PreparedUse {
  readonly mounted: MountedModule;
  /** A function that is called once all modules of the plan are mounted. */
  readonly onSessionReady: unknown;
  readonly degraded: boolean;
  /** Ids of modules whose capabilities it needs, and of modules that were mounted because it asked for them. */
  readonly needs: readonly string[];
}

export interface Generation {
  readonly mounted: readonly MountedUse[];
  readonly failed: readonly FailedUse[];
  /** Ids of modules that were kept from the previous generation. */
  readonly kept: readonly string[];
}

export interface BuildContext extends MountContext {
  readonly host: Host;
  readonly previous: Generation | undefined;
  /** Milliseconds that running calls of removed modules may take; see `OpenHostOptions`. */
  readonly drainMs: number | undefined;
  readonly requireOpen: () => void;
}

export interface Building {
  readonly draft: Draft;
  readonly context: BuildContext;
  readonly mounted: MountedUse[];
  readonly failed: FailedUse[];
  readonly kept: string[];
  /** All modules to be mounted, in the order of mounting. */
  readonly ordered: readonly PreparedUse[];
  /** Modules that were connected before they are mounted. */
  readonly connected: Map<PreparedUse, ConnectedUse>;
}

export interface AddedUse {
  readonly mounted: MountedModule;
  readonly selection: Selection | undefined;
}

/** A module whose `connect` has run. Its `mount` receives what `connect` returned. */
export interface ConnectedUse extends AddedUse {
  readonly connection: unknown;
}
