/** The usage text of `activate_tools`, long guidance for a model about when and how to call the tool. */
export const activateToolsUsage = `activate_tools: makes available tools ready to be called

Primary purpose
From the next request of this session, offers tools with arguments and guidance. Before that, a tool is only a line in the list of available tools.

Rules
- Use it before the first call of a tool that is only available. Do not use it for tools that are ready.
- Take names from the list of available tools, or from tool_search. Activate all tools that the task needs in one call, and no others.
- A tool cannot be called in the same request: wait for the next one. Tools stay active as long as the session lasts.
- Unknown names are reported and ignored.

Arguments
- tool_ids (array, required): names of the tools.

Error codes
- UNKNOWN_TOOLS: none of the names is a tool of this session; the message names similar ones.
- SESSION_MISSING: the call belongs to no session.
- INVALID_ARGUMENTS: tool_ids is missing, empty, or not an array of names.

Good usage
- {"tool_ids":["move_file","delete_file"]}

Bad usage
- {"tool_ids":["*"]}: names only; activate what the task needs.
- activating a tool again because it could not be called yet: it is ready with the next request.`;
