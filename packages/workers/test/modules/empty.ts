// Neither a function `mount` nor a tool.
export const greeting = "hello";
