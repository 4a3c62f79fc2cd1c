/** Tests whether the host name of an address can only mean this machine. */
export function isHere({ hostname }: URL): boolean {
  return /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}
