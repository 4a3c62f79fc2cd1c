/** The long guidance for `delegate`. */
export const usage = `delegate: hand a task to an agent in a session of its own

Primary purpose
Begins an agent that has its own conversation and its own tools, gives it one task, and brings its answer back. What it read and tried stays out of this conversation.

Rules
- Use it for work that can be told in one instruction and answered in one text: looking through many files, reviewing a change, trying something out.
- Say everything the agent needs: the goal, where to look, what form the answer is to have. It sees no more of this conversation than context_depth gives it.
- Several delegations in one answer run at the same time; do this only where they do not touch the same things.
- Do not hand on what a single call of a tool does; do not hand on a question to the user: the agent cannot ask.
- An agent never has more rights than this session, and shares its budget.
- To go on with an agent, give its session_id and what it is to do next, without agent.

Arguments
- instruction (string, required): what the agent is to do.
- agent (string, optional): the agent's name, or self for one like you. Left out only together with session_id.
- session_id (string, optional): goes on with this session, as an earlier answer named it.
- context_depth (string, optional): none, recent or all: how much of this conversation the agent is told. recent by default.
- context_scope (string, optional): conversation (what was said), agents (with what agents answered) or full (with what all tools answered). conversation by default.
- context_turns (integer, optional): 1 to 10, how many turns recent means. 5 by default.

The result has response, session_id, agent, turn_count, status (done, paused, failed or cancelled) and metadata. A paused agent waits for a person: say so, and go on with its session_id later.

Error codes
- INSTRUCTION_EMPTY, AGENT_REQUIRED: the call lacks something; the message says what.
- AGENT_UNKNOWN: there is no agent of that name; the message lists those there are.
- SELF_DELEGATION_DISABLED, SESSION_RESUME_DISABLED: the plan does not allow it.
- SELF_DELEGATION_DEPTH_EXCEEDED: too many like you in a row. Name an agent, or finish the task.
- SPAWN_UNAVAILABLE, RESUME_UNAVAILABLE: this host begins no sessions. Do the work yourself.
- SESSION_UNKNOWN: no such session of yours. Begin a new one.
- DELEGATION_EXHAUSTED: too deep, or the budget is used up. Do the work yourself, or answer with what you have.
- DELEGATION_TIMED_OUT: it took too long. Ask for less.
- DELEGATION_FAILED: the message says why.

Good usage
- {"agent":"explorer","instruction":"List every file below src that reads the environment, with line numbers."}
- {"session_id":"s-41c…_explorer","instruction":"Now do the same for test."}

Bad usage
- {"agent":"explorer","instruction":"Look at it."}: it does not know what it is.
- {"instruction":"Read README.md"}: read_file does that in one call.`;
