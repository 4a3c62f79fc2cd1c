/** A factory of a tool in the shape of the AI SDK, and another one that no plan names. */
export const greet_from_library = ({ word = "Hello" } = {}) => ({
  description: "Greets a person by name. Use it in tests. Not for anything else.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  execute: async ({ name }) => {
    if (name === "stranger") throw new Error("there is no such name");
    return `${word}, ${name}!`;
  },
});

export const unused = () => {
  throw new Error("a factory that no plan names was called");
};
