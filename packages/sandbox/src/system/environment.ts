/** Variables without which programs do not find other programs, their user's folder or a folder for temporary files. */
const posix = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** Names of Windows. Without SYSTEMROOT a program cannot open a socket; PATHEXT says which files are programs. */
const windows =
  "PATH PATHEXT SYSTEMROOT SYSTEMDRIVE COMSPEC TEMP TMP HOME USERPROFILE APPDATA LOCALAPPDATA LANG TZ".split(
    " ",
  );

/** Names of the harmless variables of a host that each process needs. Windows reads the names without case. */
export function basicVariables(platform: NodeJS.Platform = process.platform): readonly string[] {
  return platform === "win32" ? windows : posix;
}
