import { bindNfcTag, findNfcTag, unbindNfcTag } from '@isotherm/contracts/asset-nfc';
import { nfcUid } from '@isotherm/domain/assets/nfc-uid';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const NFC_KEY = ['assets', 'nfc'] as const;

/** Requests the asset of a tag; errors are shown as a toast. */
export function findTag(uid: string) {
  return call(findNfcTag, { params: { uid: nfcUid(uid) ?? uid } });
}

export const useNfcChanges = crudChanges(NFC_KEY, { bind: bindNfcTag, unbind: unbindNfcTag });
