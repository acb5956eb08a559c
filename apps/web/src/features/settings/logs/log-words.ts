/** Returns the first characters of a session id. */
export function shortSession(id: string): string {
  return id.slice(0, 8);
}
