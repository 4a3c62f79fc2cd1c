/** Exit codes of the command, as scripts see them. */
export const exitCodes = {
  done: 0,
  /** A call or a check failed. */
  failed: 1,
  wrongUsage: 2,
  /** A call waits for an answer, and its ticket was printed. */
  pending: 3,
  planInvalid: 78,
  /** A signal ended the work. The codes are 128 plus the number of the signal, as in shells. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
