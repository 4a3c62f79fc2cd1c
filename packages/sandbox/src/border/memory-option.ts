/** Returns the option that limits V8's heap. It does not limit buffers, so a watchdog measures the whole process. */
export function memoryOption(memoryMb: number | undefined): string[] {
  return memoryMb === undefined ? [] : [`--max-old-space-size=${memoryMb}`];
}
