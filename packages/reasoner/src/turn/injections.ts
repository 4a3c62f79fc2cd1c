import { createHash } from "node:crypto";
import { ToolmountError, type Coordinator, type HookResult, type Injection } from "@toolmount/core";
import { escapeHidden } from "@toolmount/core/hidden";
import { message, type Item } from "../provider/items.ts";

/** Tokens of injected text in one turn above which a warning is logged; a token is taken for four characters. */
const softTokens = 10_000;

/** Text that hooks put before the model, checked. */
export interface Injected {
  /** Stays in the conversation. */
  readonly kept: readonly Item[];
  /** For the next request only. */
  readonly ephemeral: readonly Item[];
}

/**
 * Checks what hooks inject: what hides from people is written out, provenance is said, too much is an error. Throws
 * `INJECTION_TOO_LARGE`. Events tell of a text by its digest, never the text.
 */
export class Injections {
  readonly #coordinator: Pick<Coordinator, "hooks" | "logger">;
  readonly #maxBytes: number;
  readonly #ids: Readonly<Record<string, string>>;
  #tokens = 0;

  constructor(
    coordinator: Pick<Coordinator, "hooks" | "logger">,
    maxBytes: number,
    ids: Readonly<Record<string, string>>,
  ) {
    this.#coordinator = coordinator;
    this.#maxBytes = maxBytes;
    this.#ids = ids;
  }

  /** What a gate of an event answered, if it injects anything. */
  async ofHook(result: HookResult, event: string): Promise<Injected> {
    const { contextInjection: text, contextInjectionRole: role = "system", ephemeral = false } = result;
    if (result.action !== "inject_context" || !text) return { kept: [], ephemeral: [] };
    return this.take([
      { text, role, ephemeral, appendToLastToolResult: false, source: `a hook of ${event}` },
    ]);
  }

  async take(injections: readonly Injection[]): Promise<Injected> {
    const kept: Item[] = [];
    const ephemeral: Item[] = [];
    for (const injection of injections) {
      const item = await this.#check(injection);
      (injection.ephemeral ? ephemeral : kept).push(item);
    }
    return { kept, ephemeral };
  }

  async #check({ text, role, source, ephemeral }: Injection): Promise<Item> {
    const clean = escapeHidden(text);
    const bytes = Buffer.byteLength(clean);
    if (bytes > this.#maxBytes) {
      await this.#tell("policy:violation", { rule: "injection_size", source, bytes });
      throw new ToolmountError("INJECTION_TOO_LARGE", { source, bytes, maxBytes: this.#maxBytes });
    }
    this.#tokens += Math.ceil(clean.length / 4);
    if (this.#tokens > softTokens)
      this.#coordinator.logger.warn(
        { ...this.#ids, tokens: this.#tokens },
        "hooks inject a lot in this turn",
      );
    const digest = createHash("sha256").update(clean).digest("hex");
    await this.#tell("context:include", { source, role, ephemeral, bytes, digest });
    return message(role === "system" ? "developer" : role, `[from ${source}]\n${clean}`);
  }

  async #tell(event: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#coordinator.hooks.emit(event, { ...this.#ids, ...data });
  }
}
