import { smsLength } from '@isotherm/domain/billing/sms-segments';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Tx } from '../../../platform/db/pool.ts';
import type { SmsLinks } from '../links/acknowledge-links.ts';
import type { Addressed } from './addressing.ts';
import type { StoredSms } from './sms.repo.ts';

/** An SMS as far as its link is concerned. */
interface LinkedText {
  addressed: Addressed;
  language: Language;
  text: string;
  units: number;
  link: string | null;
  /** The encrypted link, as base64, until the message is settled; null if there is none. */
  sealedLink: string | null;
}

/**
 * Links at the end of SMS about one alarm. An SMS gets its link when it is paid, because a token is stored with each link;
 * until then only its length is known, which decides the units.
 */
export interface TextLinks {
  /** Counts the link of an SMS that is to get one among its units; returns whether it is to get one. */
  plan(tx: Tx, draft: LinkedText): Promise<boolean>;
  /** Makes the planned link of an SMS, or takes the link with which it was begun. */
  add(tx: Tx, draft: LinkedText, isPlanned: boolean, stored: StoredSms | undefined): Promise<void>;
  /** The text with the link, in the language of the recipient. */
  textOf(draft: Pick<LinkedText, 'text' | 'link' | 'language'>): string;
}

export function createTextLinks(links: SmsLinks | undefined, translate: Translate): TextLinks {
  const textOf: TextLinks['textOf'] = ({ text, link, language }) =>
    link === null ? text : translate(language, 'messages.alarm-sms.with-link', { text, link });

  return {
    async plan(tx, draft) {
      const { parcel } = draft.addressed;
      if (!links || parcel.length > 1 || parcel[0].isBegun) return false;
      const length = await links.lengthFor(tx, parcel[0]);
      if (length === null) return false;
      draft.units = smsLength(textOf({ ...draft, link: 'x'.repeat(length) })).segments;
      return true;
    },
    async add(tx, draft, isPlanned, stored) {
      const { parcel, person } = draft.addressed;
      if (!links) return;
      if (stored?.sealedLink) draft.link = links.open(stored.sealedLink);
      if (!isPlanned) return;
      draft.link = await links.make(tx, parcel[0], person, 'sms');
      draft.sealedLink = draft.link && links.seal(draft.link).toString('base64');
    },
    textOf,
  };
}
