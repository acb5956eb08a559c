import type { TextId } from './text-id.gen.ts';

export type { TextId };

/**
 * The id of a text, one part of which is known only at run time, such as a code from the server. The guard `i18n` checks
 * that ids with this beginning exist; an id that is written out needs no call of this.
 */
export function textId(id: string): TextId {
  return id as TextId;
}
