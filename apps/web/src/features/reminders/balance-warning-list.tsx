import {
  type BalanceWarning,
  createBalanceWarning,
  editBalanceWarning,
  listBalanceWarnings,
} from '@isotherm/contracts/balance-warnings';
import { useMemo, useState } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { EN_RULE, integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { listed } from '../../shared/i18n/phrases.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { SwitchField, TagsField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { useWarningChanges, WARNINGS_KEY } from './reminders.queries.ts';

const pages = pagesOf(listBalanceWarnings);
const USUAL = { smsBelow: 100, voiceBelow: 20, mobiles: [], enabled: true };

function columnsFor({ text, time, language }: Viewer): ListColumn<BalanceWarning>[] {
  return [
    {
      key: 'organizationName',
      title: text('reminders.organization'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ organizationName, enabled }) => (
        <span>
          {organizationName} {enabled ? null : <span className="tag">{text('reminders.resting')}</span>}
        </span>
      ),
    },
    {
      key: 'low',
      title: text('balance-warnings.state'),
      render: ({ low }) =>
        low.length === 0 ? (
          <span className="secondary">{text('balance-warnings.enough')}</span>
        ) : (
          <span className="strong">
            {listed(
              text,
              low.map((commodity) => text(`balance-warnings.low.${commodity}`)),
            )}
          </span>
        ),
    },
    {
      key: 'smsBelow',
      title: text('balance-warnings.sms-below'),
      align: 'end',
      render: ({ smsBelow }) => <span className="number">{integer(language, smsBelow)}</span>,
    },
    {
      key: 'voiceBelow',
      title: text('balance-warnings.voice-below'),
      align: 'end',
      render: ({ voiceBelow }) => <span className="number">{integer(language, voiceBelow)}</span>,
    },
    {
      key: 'recipients',
      title: text('balance-warnings.recipients'),
      maxWidth: 320,
      render: ({ emails, mobiles }) => (
        <span className="secondary">{[...emails, ...mobiles].join(', ')}</span>
      ),
    },
    {
      key: 'warnedAt',
      title: text('balance-warnings.warned'),
      render: ({ warnedAt }) => (
        <span className="number">{warnedAt ? time(warnedAt, 'date-time') : EN_RULE}</span>
      ),
    },
    {
      key: 'changedAt',
      title: text('reminders.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the balance warnings: counts and recipients, one per organisation (requirements §3). */
export function BalanceWarningList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useWarningChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const [sends, setSends] = useState({ canEmail: true, canSms: false });
  const source = useMemo(
    () => ({
      ...pages,
      async load(...asked: Parameters<typeof pages.load>) {
        const page = await pages.load(...asked);
        const { canEmail, canSms } = page;
        setSends({ canEmail, canSms });
        return page;
      },
    }),
    [],
  );
  return (
    <RecordList
      embedded
      name="balance-warnings"
      title={text('balance-warnings.tab')}
      purpose={text('balance-warnings.covers')}
      permission="recharge-reminders:edit"
      param="warning"
      source={source}
      queryKey={WARNINGS_KEY}
      columns={columns}
      nameOf={({ organizationName }) => organizationName}
      searchLabel={text('reminders.search')}
      defaultSort={{ sort: 'organizationName', order: 'asc' }}
      {...(sends.canEmail
        ? {}
        : {
            above: (
              <p className="secondary" role="status">
                {text('reminders.no-transport')}
              </p>
            ),
          })}
      words={{
        create: text('balance-warnings.create'),
        edit: text('balance-warnings.edit'),
        remove: text('reminders.delete'),
      }}
      empty={{ title: text('balance-warnings.empty'), reason: text('balance-warnings.empty-reason') }}
      form={(warning, close) => <WarningForm warning={warning} canSms={sends.canSms} onClose={close} />}
      removal={{
        title: (name) => text('balance-warnings.delete.title', { name }),
        means: () => text('balance-warnings.delete.means'),
        done: (name) => text('balance-warnings.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function WarningForm({
  warning,
  canSms,
  onClose,
}: {
  warning: BalanceWarning | undefined;
  canSms: boolean;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useWarningChanges();
  const fields = (
    <FormSection>
      {warning ? null : (
        <OrganizationField
          wide
          label={text('reminders.organization')}
          help={text('balance-warnings.organization.help')}
        />
      )}
      <NumberField
        name="smsBelow"
        step={1}
        label={text('balance-warnings.sms-below')}
        help={text('balance-warnings.below.help')}
      />
      <NumberField name="voiceBelow" step={1} label={text('balance-warnings.voice-below')} />
      <TagsField
        wide
        name="emails"
        label={text('reminders.recipients')}
        help={text('reminders.recipients.help')}
        placeholder="name@example.com"
      />
      {canSms || (warning && warning.mobiles.length > 0) ? (
        <TagsField
          wide
          name="mobiles"
          label={text('balance-warnings.mobiles')}
          help={text('balance-warnings.mobiles.help')}
          placeholder="13812345678"
        />
      ) : null}
      <SwitchField name="enabled" label={text('reminders.enabled')} />
    </FormSection>
  );
  if (warning) {
    const { smsBelow, voiceBelow, emails, mobiles, enabled } = warning;
    return (
      <FormDrawer
        title={text('balance-warnings.edit')}
        submitLabel={text('common.action.save')}
        schema={editBalanceWarning.body}
        initial={{ smsBelow, voiceBelow, emails, mobiles, enabled }}
        submit={(values) => changes.edit(warning.id, values)}
        success={text('balance-warnings.saved')}
        onClose={onClose}
      >
        {fields}
      </FormDrawer>
    );
  }
  return (
    <FormDrawer
      title={text('balance-warnings.create')}
      submitLabel={text('balance-warnings.create')}
      schema={createBalanceWarning.body}
      initial={USUAL}
      submit={changes.create}
      success={text('balance-warnings.saved')}
      faultFields={{ 'balance_warning.taken': 'organizationId' }}
      onClose={onClose}
    >
      {fields}
    </FormDrawer>
  );
}
