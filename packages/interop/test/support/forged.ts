/** What a tool of Tool-Forge says of itself, without its schema and its work. */
export const forged = {
  name: "get_weather",
  description: "Returns the weather of a city. Use when the user asks for it; not for forecasts.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 15_000,
  version: "1.0.0",
  status: "active",
};
