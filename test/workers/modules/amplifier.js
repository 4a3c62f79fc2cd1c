// A module of Amplifier: its mount gets the coordinator of that contract, and its tools have an input_schema.
const createGreet = ({ word = "Hello" }) => ({
  name: "greet_there",
  description: "Greets a person by name. Use when the user asks to be greeted, not for small talk.",
  input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  async execute({ name }) {
    if (name === "stranger") throw new TypeError("it cannot greet a stranger");
    return { success: true, output: `${word}, ${name}!` };
  },
});

export const amplifier_module_type = "tool";

export async function mount(coordinator, config) {
  const tool = createGreet(config);
  await coordinator.mount("tools", tool, tool.name);
}
