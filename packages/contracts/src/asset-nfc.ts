import { nfcUid } from '@isotherm/domain/assets/nfc-uid';
import { z } from 'zod';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** UID of a tag in any notation; it is normalised. */
const uid = z
  .string()
  .max(60)
  .overwrite((typed) => nfcUid(typed) ?? typed)
  .refine((typed) => nfcUid(typed) !== null, { error: 'hex' });

export const nfcTag = z.object({
  uid: z.string(),
  assetId: z.number().int(),
  assetName: z.string(),
  assetCode: z.string(),
  organizationName: z.string(),
  boundBy: z.string(),
  boundAt: moment,
});
export type NfcTag = z.output<typeof nfcTag>;

export const listNfcTags = defineRoute({
  name: 'listNfcTags',
  method: 'GET',
  path: '/asset/nfc',
  access: 'asset-nfc:view',
  summary: 'NFC tags of the assets of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Search text for the UID, or for name or code of the asset. */
    search: z.string().max(100).default(''),
    sort: z.enum(['asset', 'boundAt']).default('boundAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(nfcTag),
});

/** Finds the asset of a tag. Throws `nfc.not_found`. */
export const findNfcTag = defineRoute({
  name: 'findNfcTag',
  method: 'GET',
  path: '/asset/nfc/:uid',
  access: 'asset-nfc:view',
  summary: 'The asset that a tag is bound to',
  params: z.object({ uid }),
  response: nfcTag,
});

/** Binds a tag to an asset. Throws `asset.not_found`, `nfc.bound` if the tag is already bound. */
export const bindNfcTag = defineRoute({
  name: 'bindNfcTag',
  method: 'POST',
  path: '/asset/nfc',
  access: 'asset-nfc:edit',
  summary: 'Bind a tag to an asset',
  body: z.strictObject({ uid, assetId: id }),
  response: nfcTag,
});

/** Unbinds a tag from its asset. Throws `nfc.not_found`. */
export const unbindNfcTag = defineRoute({
  name: 'unbindNfcTag',
  method: 'DELETE',
  path: '/asset/nfc/:uid',
  access: 'asset-nfc:edit',
  summary: 'Take a tag off its asset',
  params: z.object({ uid }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
