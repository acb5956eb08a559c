import './reminders.css';
import {
  createReminder,
  type ExpiryReminder,
  editReminder,
  listReminders,
} from '@isotherm/contracts/reminders';
import type { DueKind } from '@isotherm/domain/reminders/reminder';
import { useMemo, useState } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { listed } from '../../shared/format/listed.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField, TagsField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { loadReminder, REMINDERS_KEY, useReminderChanges } from './reminders.queries.ts';
import { useSeenKinds } from './seen-kinds.ts';

const pages = pagesOf(listReminders);

function columnsFor({ text, time }: Viewer): ListColumn<ExpiryReminder>[] {
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
      key: 'kinds',
      title: text('reminders.kinds'),
      maxWidth: 280,
      render: ({ kinds }) =>
        listed(
          kinds.map((kind) => text(`reminders.kind.${kind}`)),
          text,
        ),
    },
    {
      key: 'interval',
      title: text('reminders.interval.title'),
      render: ({ daysBefore, repeatDays }) =>
        text('reminders.interval', { before: daysBefore, repeat: repeatDays }),
    },
    {
      key: 'recipients',
      title: text('reminders.recipients'),
      maxWidth: 280,
      render: ({ recipients }) => <span className="secondary">{recipients.join(', ')}</span>,
    },
    {
      key: 'remindedOn',
      title: text('reminders.reminded'),
      render: ({ remindedOn }) => <span className="number">{remindedOn ?? EN_RULE}</span>,
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

/** List of the reminders: recipients, kinds and lead time, one per organisation (requirements §5). */
export function ReminderList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useReminderChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const [canDeliver, setCanDeliver] = useState(true);
  const source = useMemo(
    () => ({
      ...pages,
      async load(...asked: Parameters<typeof pages.load>) {
        const page = await pages.load(...asked);
        setCanDeliver(page.canDeliver);
        return page;
      },
    }),
    [],
  );
  return (
    <RecordList
      embedded
      name="expiry-reminders"
      title={text('reminders.tab.reminders')}
      purpose={text('reminders.covers')}
      permission="recharge-reminders:edit"
      param="reminder"
      source={source}
      queryKey={REMINDERS_KEY}
      load={loadReminder}
      columns={columns}
      nameOf={({ organizationName }) => organizationName}
      searchLabel={text('reminders.search')}
      defaultSort={{ sort: 'organizationName', order: 'asc' }}
      {...(canDeliver
        ? {}
        : {
            above: (
              <p className="secondary" role="status">
                {text('reminders.no-transport')}
              </p>
            ),
          })}
      words={{
        create: text('reminders.create'),
        edit: text('reminders.edit'),
        remove: text('reminders.delete'),
      }}
      empty={{ title: text('reminders.empty'), reason: text('reminders.empty-reason') }}
      form={(reminder, close) => <ReminderForm reminder={reminder} onClose={close} />}
      removal={{
        title: (name) => text('reminders.delete.title', { name }),
        means: () => text('reminders.delete.means'),
        done: (name) => text('reminders.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function ReminderForm({ reminder, onClose }: { reminder: ExpiryReminder | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useReminderChanges();
  const seen = useSeenKinds();
  if (!seen) return null;
  // Kinds that another user added stay visible. The user can remove them, but the server refuses to save
  // them.
  const foreign = reminder?.kinds.filter((kind) => !seen.includes(kind)) ?? [];
  const word = (kind: DueKind) => text(`reminders.kind.${kind}`);
  const fields = (
    <FormSection>
      {reminder ? null : (
        <OrganizationField wide label={text('reminders.organization')} help={text('reminders.covers')} />
      )}
      <SelectField
        wide
        name="kinds"
        label={text('reminders.kinds')}
        multiple
        {...(foreign.length > 0
          ? { help: text('reminders.kinds.unseen', { kinds: listed(foreign.map(word), text) }) }
          : {})}
        options={[...seen, ...foreign].map((kind) => ({ value: kind, label: word(kind) }))}
      />
      <NumberField name="daysBefore" label={text('reminders.days-before')} step={1} />
      <NumberField name="repeatDays" label={text('reminders.repeat-days')} step={1} />
      <TagsField
        wide
        name="recipients"
        label={text('reminders.recipients')}
        help={text('reminders.recipients.help')}
        placeholder="name@example.com"
      />
      <SwitchField name="enabled" label={text('reminders.enabled')} />
    </FormSection>
  );
  if (reminder) {
    const { kinds, daysBefore, repeatDays, recipients, enabled } = reminder;
    return (
      <FormDrawer
        title={text('reminders.edit')}
        submitLabel={text('common.action.save')}
        schema={editReminder.body}
        initial={{ kinds, daysBefore, repeatDays, recipients, enabled }}
        submit={(values) => changes.edit(reminder.id, values)}
        success={text('reminders.saved')}
        faultFields={{ 'permission.denied': 'kinds' }}
        onClose={onClose}
      >
        {fields}
      </FormDrawer>
    );
  }
  return (
    <FormDrawer
      title={text('reminders.create')}
      submitLabel={text('reminders.create')}
      schema={createReminder.body}
      initial={{ kinds: [...seen], daysBefore: 30, repeatDays: 7, enabled: true }}
      submit={changes.create}
      success={text('reminders.saved')}
      faultFields={{ 'reminder.taken': 'organizationId' }}
      onClose={onClose}
    >
      {fields}
    </FormDrawer>
  );
}
