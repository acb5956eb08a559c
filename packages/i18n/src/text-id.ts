import type { TextId } from './text-id.gen.ts';

export type { TextId };

/**
 * Creates a text id of which a part is known only at run time, such as a code from the server. The guard
 * `i18n` checks that ids with its prefix exist. Literal ids do not need this function.
 */
export function textId(id: string): TextId {
  return id as TextId;
}
