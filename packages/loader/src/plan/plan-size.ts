/** Most bytes a plan's text may have. Parsing 256 KB of short keys takes 0.4 s; nobody writes a longer plan by hand. */
export const maxPlanBytes = 256 * 1024;

/** The sentence about a plan of too many bytes. */
export const sizeProblem = `the plan is larger than ${maxPlanBytes} bytes`;
