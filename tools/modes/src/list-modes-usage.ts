/** The usage text of `agent_list_modes`, long guidance for a model about when and how to call the tool. */
export const listModesUsage = `agent_list_modes: which modes there are

Primary purpose
Lists the modes in which this agent can work, with what each is for, so that the user can choose, or you can propose one.

Rules
- Use it when the user asks which modes exist, wants help choosing a mode, or before you propose a change of mode.
- Do not use it on every message, nor when the mode to use is already known.
- Do not use it instead of agent_change_mode: it changes neither the mode nor the session nor anything else.
- The same catalog gives the same list, so one call is enough while you talk about it.

Arguments
- includeExamples (boolean, optional): true adds to each mode things that users say when they want it. False by default.

The result has modes, a list; each has id, key, displayName, description, systemPromptSummary, isDefault, humanRoleHints and exampleUtterances. The key is what agent_change_mode takes.

Error codes
- MODES_NOT_LISTED: the modes could not be read. Say so; do not invent modes.
- INVALID_ARGUMENTS: includeExamples is not true or false.

Good usage
- The user asks "what can you do for me?": {}
- The user cannot decide between two modes: {"includeExamples":true}

Bad usage
- {} before every answer: the list does not change that often.
- {"mode":"planning"}: there is no such argument; agent_change_mode changes the mode.`;
