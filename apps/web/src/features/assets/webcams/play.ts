/** Callbacks of a player to its component. */
export interface Playing {
  onPicture: () => void;
  /** Called with an error message of the server or the browser. */
  onFault: (sentence: string) => void;
}

export function sentenceOf(error: unknown, otherwise: string): string {
  return error instanceof Error ? error.message : otherwise;
}
