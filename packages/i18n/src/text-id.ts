import type { TextId } from './text-id.gen.ts';

export type { TextId };

/**
 * A text id with a part known only at run time, such as a code from the server. The guard `i18n` checks that
 * ids with its prefix exist; literal ids do not need it.
 */
export function textId(id: string): TextId {
  return id as TextId;
}
