import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import { type Person, personKey, personOf } from '@isotherm/domain/alarms/person';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { FieldFrame, type FieldProps } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../shared/ui/form/key-frame.tsx';
import { useSettled } from '../../shared/ui/form/use-settled.ts';

export interface PeopleSource {
  /** Key of the query that searches people. */
  key: readonly unknown[];
  search: (typed: string) => Promise<NamedPerson[]>;
}

/** A person whose name the user may not see is shown by the id. */
export const personName = ({ name, id }: Pick<NamedPerson, 'name' | 'id'>): string => name || `#${id}`;

/** Form field that selects receivers and accounts in the order in which they are chosen. */
export function PeopleField({
  source,
  known,
  single = false,
  ...props
}: FieldProps & {
  source: PeopleSource;
  /** People whose names are known already, such as the stored ones. */
  known: readonly NamedPerson[];
  /** True if the value of the field is one person instead of a list. */
  single?: boolean;
}) {
  const { value, set, fault, required } = useField<Person | Person[]>(props.name);
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const search = useSettled(typed);
  const [open, setOpen] = useState(false);
  const found = useQuery({
    queryKey: [...source.key, 'people', search],
    queryFn: () => source.search(search),
    enabled: open,
    staleTime: 30_000,
  });
  const [seen, setSeen] = useState<ReadonlyMap<string, NamedPerson>>(new Map());
  const people = new Map([
    ...known.map((each) => [personKey(each), each] as const),
    ...seen,
    ...(found.data ?? []).map((each) => [personKey(each), each] as const),
  ]);
  const chosen = (Array.isArray(value) ? value : value ? [value] : []).map(personKey);
  const offered = [
    ...new Set([
      ...(typed === '' ? [...chosen, ...known.map(personKey)] : []),
      ...(found.data ?? []).map(personKey),
    ]),
  ];
  const labelOf = (key: string) => {
    const person = people.get(key);
    return person ? personName(person) : key;
  };
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <KeyFrame take={isTab}>
          <Select<string | string[]>
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            {...(single ? {} : { mode: 'multiple' as const })}
            className="form-select"
            value={single ? (chosen[0] as string) : chosen}
            disabled={props.disabled ?? false}
            loading={found.isFetching}
            showSearch={{ filterOption: false, onSearch: setTyped }}
            notFoundContent={text(found.isFetching ? 'common.loading' : 'common.list.no-match')}
            options={offered.map((key) => ({ value: key, label: labelOf(key) }))}
            optionRender={({ value: key }) => <PersonWords person={people.get(String(key))} />}
            onOpenChange={setOpen}
            onChange={(next) => {
              const keys = Array.isArray(next) ? next : [next];
              // A later search must not lose the names of those chosen before.
              setSeen(
                new Map(
                  keys.flatMap((key) => (people.has(key) ? [[key, people.get(key) as NamedPerson]] : [])),
                ),
              );
              const persons = keys.flatMap((key) => personOf(key) ?? []);
              set(single ? persons[0] : persons);
            }}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}

function PersonWords({ person }: { person: NamedPerson | undefined }) {
  const { text } = useText();
  if (!person) return null;
  const facts = [
    text(`recipient-groups.type.${person.type}`),
    person.organizationName,
    ...(person.isActive ? [] : [text('recipient-groups.member.inactive')]),
    ...(person.hasEmail ? [] : [text('policies.recipient.no-email')]),
  ];
  return (
    <span>
      {personName(person)} <span className="small tertiary">{facts.filter(Boolean).join(' · ')}</span>
    </span>
  );
}
