/** What is thrown at a deadline: whatever was waited for had not come. */
export class Overdue extends Error {
  override readonly name = "Overdue";
}

/**
 * Waits for work, at most this long; then rejects with {@link Overdue}. Keeps the process alive meanwhile, so that work
 * which never comes to an end is told of. A signal that is aborted ends the watch, not the wait.
 */
export async function within<Value>(
  timeoutMs: number,
  work: Value | Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new Overdue(`it did not come to an end within ${timeoutMs} ms`));
    timer = setTimeout(give, timeoutMs);
  });
  const rest = () => clearTimeout(timer);
  signal?.addEventListener("abort", rest, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    rest();
    signal?.removeEventListener("abort", rest);
  }
}
