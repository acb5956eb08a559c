import type { WaybillClient } from '@isotherm/contracts/waybill-clients';
import { DEFAULT_LANGUAGE } from '@isotherm/i18n/languages';
import { useMemo } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelect, type Option, type OptionSource } from '../../../shared/ui/form/choice-fields.tsx';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { CLIENTS_KEY, findClients } from './clients.queries.ts';

/** What a choice fills in. */
interface Filled {
  unit: string;
  address: string;
  contact: string;
  phone: string;
  email: string;
  language: string;
}

/**
 * Each site of a client is an option of its own; a client without sites is one option. The value of an option is what it fills
 * in, so that it can be read although the options are cached.
 */
function optionsOf({ name, sites, notices, contacts: [contact] }: WaybillClient): Option[] {
  const filledBy = (address: string) => {
    const filled: Filled = {
      unit: name,
      address,
      contact: contact?.name ?? '',
      phone: contact?.phone ?? '',
      // Without the notices, nobody is told.
      email: notices ? (contact?.email ?? '') : '',
      language: contact?.language ?? DEFAULT_LANGUAGE,
    };
    return JSON.stringify(filled);
  };
  if (sites.length === 0) return [{ value: filledBy(''), label: name }];
  return sites.map((site) => ({
    value: filledBy(site.address),
    label: name,
    hint: [site.name, site.address].filter(Boolean).join(', '),
  }));
}

/**
 * Chooses a consignor or consignee from the book, and fills in the fields of a waybill. It is no field itself: the waybill keeps
 * the text, which may be changed afterwards.
 */
export function ClientChoice({ party }: { party: 'consignor' | 'consignee' }) {
  const { text } = useText();
  const { set } = useFormContext();
  const source = useMemo<OptionSource>(
    () => ({
      key: [...CLIENTS_KEY, party],
      search: async (typed) => (await findClients(party, typed)).flatMap(optionsOf),
    }),
    [party],
  );
  function choose(value: string | number | undefined) {
    if (typeof value !== 'string') return;
    const { unit, address, contact, phone, email, language } = JSON.parse(value) as Filled;
    set(`${party}Unit`, unit);
    set(`${party}Address`, address);
    set(`${party}Contact`, contact);
    set(`${party}Phone`, phone);
    if (party === 'consignee') {
      set('consigneeEmail', email);
      set('consigneeLanguage', language);
    }
  }
  return (
    <FieldFrame
      wide
      label={text('clients.choose')}
      help={text('clients.choose.help')}
      required={false}
      fault={undefined}
    >
      {({ id }) => (
        <AsyncSelect id={id} source={source} value={undefined} clearable={false} onChange={choose} />
      )}
    </FieldFrame>
  );
}
