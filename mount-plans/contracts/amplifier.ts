// A project that has @toolmount/interop imports the types of Amplifier from @toolmount/interop/amplifier.
interface ModuleCoordinator {
  mount(point: "tools", tool: GreetTool, given: { readonly name: string }): unknown;
}

/** Greets a person, as a tool of Amplifier. */
class GreetTool {
  readonly #greeting: string;

  constructor({ greeting = "Hello" }: { greeting?: string }) {
    this.#greeting = greeting;
  }

  get name(): string {
    return "greet";
  }

  get description(): string {
    return "Greets a person by name. Use when the user asks to be greeted. Not for letters.";
  }

  get_schema(): Record<string, unknown> {
    return {
      type: "object",
      properties: { name: { type: "string", description: "Whom to greet" } },
      required: ["name"],
    };
  }

  async execute({ name }: Record<string, unknown>): Promise<object> {
    return { success: true, output: { text: `${this.#greeting}, ${String(name)}!` } };
  }
}

export async function mount(coordinator: ModuleCoordinator, config: { greeting?: string }): Promise<void> {
  coordinator.mount("tools", new GreetTool(config), { name: "greet" });
}
