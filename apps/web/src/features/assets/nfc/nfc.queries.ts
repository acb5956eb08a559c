import { bindNfcTag, findNfcTag, unbindNfcTag } from '@isotherm/contracts/asset-nfc';
import type { BodyOf } from '@isotherm/contracts/route';
import { nfcUid } from '@isotherm/domain/assets/nfc-uid';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const NFC_KEY = ['assets', 'nfc'] as const;

/** What a tag opens; a refusal is said. */
export function findTag(uid: string) {
  return call(findNfcTag, { params: { uid: nfcUid(uid) ?? uid } });
}

export function useNfcChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: NFC_KEY });
    return done;
  };
  return {
    bind: (body: BodyOf<typeof bindNfcTag>) => after(call(bindNfcTag, { body, quiet: true })),
    unbind: (uid: string, reason: string) =>
      after(call(unbindNfcTag, { params: { uid }, body: { reason }, quiet: true })),
  };
}
