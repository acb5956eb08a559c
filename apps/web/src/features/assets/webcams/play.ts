/** Callbacks of a player. */
export interface Playing {
  onPicture: () => void;
  /** A message of the server or the browser. */
  onFault: (sentence: string) => void;
}

export function sentenceOf(error: unknown, otherwise: string): string {
  return error instanceof Error ? error.message : otherwise;
}
