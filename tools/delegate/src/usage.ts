/** The usage text of `delegate`, long guidance for a model about when and how to call the tool. */
export const usage = `delegate: hand a task to an agent in a session of its own

Primary purpose
Starts an agent with its own conversation and its own tools, gives it one task, and returns its answer. What the agent reads and tries is not added to this conversation.

Rules
- Use it for work that fits one instruction and one answer: searching many files, reviewing a change, trying something out.
- Say everything the agent needs: the goal, where to look, the form of the answer. It sees only the part of this conversation that context_depth selects.
- Several delegations in one answer run at the same time. Do this only if they do not change the same files or data.
- Do not delegate work that one tool call does. Do not delegate a question to the user: the agent cannot ask.
- An agent never has more permissions than this session, and it shares the session's budget.
- To resume an agent, give its session_id and its next instruction, without agent.

Arguments
- instruction (string, required): the agent's task.
- agent (string, optional): the agent's name, or self for a copy of you. Omit it only if session_id is given.
- session_id (string, optional): resumes this session. An earlier result has the id.
- context_depth (string, optional): none, recent or all: how much of this conversation the agent gets. recent by default.
- context_scope (string, optional): conversation (messages), agents (also results of agents) or full (also results of all tools). conversation by default.
- context_turns (integer, optional): 1 to 10, the number of turns that recent selects. 5 by default.

The result has response, session_id, agent, turn_count, status (done, paused, failed or cancelled) and metadata. A paused agent waits for a person: say so, and resume it by its session_id later.

Error codes
- INSTRUCTION_EMPTY, AGENT_REQUIRED: an argument is missing; the message names it.
- AGENT_UNKNOWN: no agent has that name; the message lists the agents.
- SELF_DELEGATION_DISABLED, SESSION_RESUME_DISABLED: the plan does not allow it.
- SELF_DELEGATION_DEPTH_EXCEEDED: too many copies of you in a row. Name an agent, or finish the task.
- SPAWN_UNAVAILABLE, RESUME_UNAVAILABLE: this host cannot start sessions. Do the work yourself.
- SESSION_UNKNOWN: you have no session with that id. Start a new one.
- DELEGATION_EXHAUSTED: too many levels of agents, or the budget is used up. Do the work yourself, or answer with what you have.
- DELEGATION_TIMED_OUT: the agent took too long. Give it a smaller task.
- DELEGATION_FAILED: the message says why.

Good usage
- {"agent":"explorer","instruction":"List every file below src that reads the environment, with line numbers."}
- {"session_id":"s-41c…_explorer","instruction":"Now do the same for test."}

Bad usage
- {"agent":"explorer","instruction":"Look at it."}: the agent does not know what "it" is.
- {"instruction":"Read README.md"}: read_file does that in one call.`;
