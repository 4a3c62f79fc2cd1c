import type { Announce, Json } from "@toolmount/core";
import { callMethod, shapeOf, type CapabilityShape } from "../far/crossing.ts";

/** Services of the host for a module in a process, outside of calls. */
export interface NearServices {
  readonly announce: Announce;
  /** Calls a method of a capability that the plan grants to the module. */
  use(used: UsedMethod): Promise<Json | undefined>;
}

interface UsedMethod {
  readonly name: string;
  readonly method: string;
  readonly arguments: readonly Json[];
}

/** Maximum number of calls of capabilities by one module that run at the same time. */
const maxUses = 256;

/** The host's capabilities for one module, which are only those that its plan names. */
export class GivenCapabilities {
  readonly #granted: readonly string[];
  readonly #get: (name: string) => unknown;
  #running = 0;

  constructor(granted: readonly string[], get: (name: string) => unknown) {
    this.#granted = granted;
    this.#get = get;
  }

  /** Returns the shapes of the granted capabilities that the host has now. Throws if one of them cannot cross the border. */
  shapes(): Readonly<Record<string, CapabilityShape>> {
    const known = this.#granted.map((name) => [name, this.#get(name)] as const);
    const given = known.filter(([, value]) => value !== null && value !== undefined);
    return Object.fromEntries(given.map(([name, value]) => [name, shapeOf(name, value)]));
  }

  async use({ name, method, arguments: given }: UsedMethod): Promise<Json | undefined> {
    if (!this.#granted.includes(name)) throw new Error(`the plan does not let the module use "${name}"`);
    if (this.#running >= maxUses)
      throw new Error(`${maxUses} uses of capabilities run already; await some of them`);
    this.#running++;
    try {
      return await callMethod(name, this.#get(name), method, given);
    } finally {
      this.#running--;
    }
  }
}
