import { createHash } from "node:crypto";
import { ToolmountError, type Coordinator, type HookResult, type Injection } from "@toolmount/core";
import { escapeHidden } from "@toolmount/core/text";
import type { Settings } from "../config/settings.ts";
import { message, type Item } from "../provider/items.ts";

/** Checked text that hooks inject. */
interface Injected {
  /** Items that stay in the conversation. */
  readonly kept: readonly Item[];
  /** Items for the next request only. */
  readonly ephemeral: readonly Item[];
}

/**
 * Checks text that hooks inject: hidden characters are escaped, the source is named, and a text that is too large throws
 * `INJECTION_TOO_LARGE`. Events carry the digest of a text, never the text.
 */
export class Injections {
  readonly #coordinator: Pick<Coordinator, "hooks" | "logger">;
  readonly #settings: Pick<Settings, "maxInjectionBytes" | "injectionTokens">;
  readonly #ids: Readonly<Record<string, string>>;
  #tokens = 0;

  constructor(
    coordinator: Pick<Coordinator, "hooks" | "logger">,
    settings: Pick<Settings, "maxInjectionBytes" | "injectionTokens">,
    ids: Readonly<Record<string, string>>,
  ) {
    this.#coordinator = coordinator;
    this.#settings = settings;
    this.#ids = ids;
  }

  /** Returns the text that a gate's answer injects, if any. */
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
    const { maxInjectionBytes: maxBytes, injectionTokens: softTokens } = this.#settings;
    if (bytes > maxBytes) {
      await this.#emit("policy:violation", { rule: "injection_size", source, bytes });
      throw new ToolmountError("INJECTION_TOO_LARGE", { source, bytes, maxBytes });
    }
    this.#tokens += Math.ceil(clean.length / 4);
    if (this.#tokens > softTokens)
      this.#coordinator.logger.warn(
        { ...this.#ids, tokens: this.#tokens },
        `hooks injected more than ${softTokens} tokens in this turn`,
      );
    const digest = createHash("sha256").update(clean).digest("hex");
    await this.#emit("context:include", { source, role, ephemeral, bytes, digest });
    return message(role === "system" ? "developer" : role, `[from ${source}]\n${clean}`);
  }

  async #emit(event: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#coordinator.hooks.emit(event, { ...this.#ids, ...data });
  }
}
