/** Thrown when work does not settle before its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/**
 * Waits at most `timeoutMs` for work, then rejects with {@link DeadlineExceeded}. The timer keeps the process alive, so
 * that work that never settles is reported. Aborting `signal` stops the timer, not the wait.
 */
export async function withTimeout<Value>(
  timeoutMs: number,
  work: Value | Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new DeadlineExceeded(`it did not end within ${timeoutMs} ms`));
    timer = setTimeout(give, timeoutMs);
  });
  const stopTimer = () => clearTimeout(timer);
  signal?.addEventListener("abort", stopTimer, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", stopTimer);
  }
}
