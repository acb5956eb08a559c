/** Enough of a session's id to tell it from the others on the page. */
export function shortSession(id: string): string {
  return id.slice(0, 8);
}
