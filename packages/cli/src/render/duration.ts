/** A length of time as a person reads it: `12 ms`, `1.5 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 100) / 10;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  const hours = Math.floor(whole / 3600);
  if (hours > 0) return `${hours} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
