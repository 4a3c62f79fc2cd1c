/** The long guidance for `activate_tools`. */
export const activateToolsUsage = `activate_tools: makes available tools ready to be called

Primary purpose
Offers tools in full, with arguments and guidance, from the next request of this session on. Until then a tool is only a line in the list of available tools.

Rules
- Use it before the first call of a tool that is only available. Do not use it for tools that are ready.
- Take names from the list of available tools, or from tool_search. Activate all that the task needs at once, and no others.
- A tool cannot be called in the same request: wait for the next one. Tools stay active as long as the session lasts.
- Names that are no tools are told, and do no harm.

Arguments
- tool_ids (array, required): names of the tools.

Error codes
- UNKNOWN_TOOLS: none of the names is a tool that this session may have; the message names near ones.
- SESSION_MISSING: the call belongs to no session.
- INVALID_ARGUMENTS: tool_ids is missing or empty, or is no array of names.

Good usage
- {"tool_ids":["move_file","delete_file"]}

Bad usage
- {"tool_ids":["*"]}: names only; activate what the task needs.
- activating a tool again because it could not be called yet: it is ready with the next request.`;
