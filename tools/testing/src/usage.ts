/** The usage text of `testing_ping_pong`, long guidance for a model about when and how to call the tool. */
export const pingPongUsage = `testing_ping_pong: sends a message back and counts

Primary purpose
Shows that a tool can be called and that its answer comes back: the reply repeats the message, the count is one more than the one given.

Rules
- Use it when the user asks to try the tools out, or to check that calls get through.
- Do not use it to talk to anybody, nor to store anything: it keeps no state between calls.
- It changes nothing, is quick, and may be called as often as needed. To count over several calls, send the Count of the last answer.

Arguments
- message (string, optional): text to send back. Blank or left out, the reply is "ping", else "pong: " and the message.
- count (integer, optional): the count so far, 0 by default.

The result has Reply, Count, SessionId and ConversationId; missing ids are null.

Error codes
- INVALID_ARGUMENTS: message is not a text, or count not a whole number.

Good usage
- {"message":"hello","count":2} gives "pong: hello" and 3
- {} gives "ping" and 1

Bad usage
- {"count":"2"}: the count is a number, not a text.
- {"text":"hello"}: there is no argument of that name.`;

/** The usage text of `testing_calculator`, long guidance for a model about when and how to call the tool. */
export const calculatorUsage = `testing_calculator: one operation on two numbers

Primary purpose
Adds, subtracts, multiplies or divides two numbers, in double precision.

Rules
- Use it for one operation on two numbers that are known.
- Do not use it for whole expressions, dates or money that must be exact to the cent: split an expression into single steps.
- It changes nothing; the same arguments give the same result, so one call is enough.

Arguments
- operation (string, required): add, subtract, multiply or divide. Case and space around it do not matter.
- left (number, required): the first number.
- right (number, required): the second number; not 0 when dividing.

The result has Operation, Left, Right, Result, SessionId and ConversationId.

Error codes
- INVALID_ARGUMENTS: an argument is missing or not a number.
- UNSUPPORTED_OPERATION: the operation is not one of the four.
- DIVIDE_BY_ZERO: right is 0 and the operation is divide.
- RESULT_NOT_FINITE: the result is too large for a number.

Good usage
- {"operation":"multiply","left":6,"right":7}

Bad usage
- {"operation":"2+2","left":2,"right":2}: the operation is a word.
- {"operation":"divide","left":1,"right":0}: nothing can be divided by zero.`;

/** The usage text of `testing_delay`, long guidance for a model about when and how to call the tool. */
export const delayUsage = `testing_delay: waits, and can be cancelled

Primary purpose
Waits for a number of milliseconds and returns how long it really took, so that deadlines, progress and cancellation can be tried out.

Rules
- Use it when the user asks for a delay, or to see how a slow tool behaves.
- Do not use it to wait for something in the world, nor in place of asking again later: it looks at nothing.
- Use it sparingly: the whole turn waits. It changes nothing.
- When the call is cancelled, it stops immediately and returns WasCancelled true.

Arguments
- milliseconds (integer, optional): 1000 by default; below 0 counts as 0, above 60000 as 60000.
- note (string, optional): any text; it comes back as Note.

The result has RequestedMilliseconds (after these bounds), ElapsedMilliseconds, WasCancelled, Note, SessionId and ConversationId.

Error codes
- INVALID_ARGUMENTS: milliseconds is not a whole number, or note not a text.

Good usage
- {"milliseconds":250,"note":"short pause"}

Bad usage
- {"milliseconds":"1s"}: a number of milliseconds is needed.
- {"milliseconds":3600000} to wait an hour: it ends after 60000.`;

/** The usage text of `testing_failure_injection`, long guidance for a model about when and how to call the tool. */
export const failureInjectionUsage = `testing_failure_injection: fails when asked to

Primary purpose
Makes a tool fail on purpose, with a message of choice, so that the handling of failures can be watched from end to end.

Rules
- Use it when the user asks to see what happens when a tool fails.
- Do not use it to refuse a request or to end a conversation, and do not repeat it to get another outcome: the failure is meant.
- It changes nothing but the log, which gets one entry for each failure asked for.

Arguments
- shouldFail (boolean, optional): true makes the call fail; false by default.
- failureMessage (string, optional): what the failure says.
- payload (string, optional): any text; it comes back on success and is logged on failure. Put no secrets into it.

The answer of a call that did not fail has RequestedFailure false, Payload, SessionId and ConversationId.

Error codes
- FAILURE_INJECTED: the failure that was asked for.
- INVALID_ARGUMENTS: an argument has the wrong type.

Good usage
- {"shouldFail":true,"failureMessage":"disk on fire"}
- {"payload":"all is well"}

Bad usage
- {"shouldFail":"yes"}: true or false is needed.
- calling again with shouldFail true after it failed, hoping for success.`;
