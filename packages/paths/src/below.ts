import { sep } from "node:path";

/** Whether an absolute path is the folder or below it. It compares whole names: `/allowed-evil` is not below `/allowed`. */
export function isBelow(path: string, folder: string, separator: string = sep): boolean {
  return path === folder || path.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}
