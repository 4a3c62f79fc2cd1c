/**
 * Whether a file's mode gives rights to other users. Windows has access lists instead, and Node reports a mode of 666 for
 * each file that is not read-only: there the answer is no.
 */
export function canOthersRead(mode: number, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== "win32" && (mode & 0o077) !== 0;
}
