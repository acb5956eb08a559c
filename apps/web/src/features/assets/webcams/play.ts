/** What a player tells of how it goes. */
export interface Playing {
  onPicture: () => void;
  /** A sentence: the server's, or the browser's. */
  onFault: (sentence: string) => void;
}

export function sentenceOf(error: unknown, otherwise: string): string {
  return error instanceof Error ? error.message : otherwise;
}
