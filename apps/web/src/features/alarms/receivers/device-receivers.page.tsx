import {
  createReceiver,
  deleteReceiver,
  editReceiver,
  exportReceivers,
  getReceiver,
  getReceiverTemplate,
  importReceivers,
  listReceivers,
  type Receiver,
  receiverInput,
} from '@isotherm/contracts/receivers';
import { currentZone } from '@isotherm/contracts/time-zones';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useMemo, useState } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { QuietHoursField } from '../../../shared/ui/form/quiet-hours-field.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { LinkPinField } from './link-pin-field.tsx';
import { ReceiverWechat } from './receiver-wechat.tsx';

const KEY = ['alarms', 'receivers'] as const;
const source = pagesOf(listReceivers);
const useChanges = crudChanges(KEY, { create: createReceiver, edit: editReceiver, remove: deleteReceiver });
/**
 * The request is not `quiet`, so an error is shown as a message, for example after a link to a deleted
 * receiver.
 */
const load = (id: number, signal: AbortSignal) => call(getReceiver, { params: { id }, signal });

const LANGUAGE_OPTIONS = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'receiver.taken': 'name',
  'receiver.unreachable': 'mobile',
};

function columnsFor({ text, time }: Viewer): ListColumn<Receiver>[] {
  return [
    {
      key: 'name',
      title: text('receivers.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'mobile',
      title: text('receivers.mobile'),
      render: ({ countryCode, mobile }) =>
        mobile ? <span className="number">{`${countryCode} ${mobile}`}</span> : null,
    },
    {
      key: 'email',
      title: text('receivers.email'),
      maxWidth: 240,
      render: ({ email, emailFails }) =>
        emailFails ? (
          <>
            {email}{' '}
            <span className="tag" title={text('receivers.email-fails.help')}>
              {text('receivers.email-fails')}
            </span>
          </>
        ) : (
          email
        ),
    },
    { key: 'wechat', title: text('receivers.wechat'), maxWidth: 160, render: ({ wechat }) => wechat },
    {
      key: 'language',
      title: text('receivers.language'),
      render: ({ language }) => LANGUAGE_NAMES[language],
    },
    {
      key: 'timeZone',
      title: text('receivers.time-zone'),
      render: ({ timeZone }) => <span className="secondary">{timeZone}</span>,
    },
    {
      key: 'organization',
      title: text('receivers.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('receivers.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the people and addresses to which alarms are sent, with or without a user account. */
export default function ReceiverList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const [bound, setBound] = useState<Receiver | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [{ keys: ['language'], label: text('receivers.language'), options: LANGUAGE_OPTIONS }],
    [text],
  );
  return (
    <>
      <RecordList
        name="device-receivers"
        title={text('menu.device-receivers')}
        purpose={text('receivers.purpose')}
        permission="device-receivers:edit"
        param="receiver"
        source={source}
        queryKey={KEY}
        load={load}
        columns={columns}
        nameOf={({ name }) => name}
        searchLabel={text('receivers.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        filters={filters}
        exporting={exportReceivers}
        importing={[
          {
            route: importReceivers,
            template: getReceiverTemplate,
            title: text('receivers.import.title'),
            help: text('receivers.import.help'),
          },
        ]}
        words={{
          create: text('receivers.create'),
          edit: text('receivers.edit'),
          remove: text('receivers.delete'),
        }}
        empty={{ title: text('receivers.empty'), reason: text('receivers.empty-reason') }}
        moreRowActions={(receiver) => [
          { key: 'wechat', label: text('wechat.bind'), onClick: () => setBound(receiver) },
        ]}
        form={(receiver, close) => <ReceiverForm receiver={receiver} onClose={close} />}
        removal={{
          title: (name) => text('receivers.delete.title', { name }),
          means: ({ name }) => text('receivers.delete.means', { name }),
          done: (name) => text('receivers.deleted', { name }),
          run: ({ id }, reason) => changes.remove(id, reason),
        }}
      />
      {bound ? <ReceiverWechat receiver={bound} onClose={() => setBound(null)} /> : null}
    </>
  );
}

/** Initial values of the form for a stored receiver. */
function initialOf(receiver: Receiver) {
  const {
    id: _,
    organizationName: __,
    changedBy: ___,
    changedAt: ____,
    hasLinkPin: _____,
    emailFails: ______,
    timeZone,
    ...fields
  } = receiver;
  return { ...fields, timeZone: currentZone(timeZone) };
}

function ReceiverForm({ receiver, onClose }: { receiver: Receiver | undefined; onClose: () => void }) {
  const { text, language } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(receiver ? 'receivers.edit' : 'receivers.create')}
      submitLabel={text(receiver ? 'common.action.save' : 'receivers.create')}
      schema={receiverInput}
      initial={receiver ? initialOf(receiver) : { countryCode: '+86', language }}
      submit={(values) => (receiver ? changes.edit(receiver.id, values) : changes.create(values))}
      success={text('receivers.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('receivers.section.person')}>
        <TextField name="name" label={text('receivers.name')} />
        <OrganizationField label={text('receivers.organization')} />
        <SelectField
          name="language"
          label={text('receivers.language')}
          help={text('receivers.language.help')}
          options={LANGUAGE_OPTIONS}
        />
        <ZoneField
          name="timeZone"
          label={text('receivers.time-zone')}
          placeholder={text('receivers.time-zone.of-organization')}
        />
      </FormSection>
      <FormSection title={text('receivers.section.reach')}>
        <TextField
          name="countryCode"
          label={text('receivers.country-code')}
          help={text('receivers.country-code.help')}
          inputMode="tel"
        />
        <TextField name="mobile" label={text('receivers.mobile')} inputMode="tel" />
        <TextField
          name="email"
          label={text('receivers.email')}
          inputMode="email"
          help={receiver?.emailFails ? text('receivers.email-fails.help') : undefined}
        />
        <TextField name="wechat" label={text('receivers.wechat')} />
        <QuietHoursField />
        <LinkPinField hasPin={receiver?.hasLinkPin ?? false} />
        <TextAreaField name="description" label={text('receivers.description')} />
      </FormSection>
    </FormDrawer>
  );
}
