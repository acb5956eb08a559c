import {
  createMessageTemplate,
  editMessageTemplate,
  getMessageTemplate,
  listMessageTemplates,
  type MessageTemplateView,
  resetMessageTemplate,
} from '@isotherm/contracts/message-templates';
import { TEMPLATE_CHANNELS, TEMPLATE_KINDS } from '@isotherm/domain/notifications/message-template';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useMemo } from 'react';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { TemplateForm } from './template-form.tsx';

const KEY = ['alarms', 'message-templates'] as const;
const source = pagesOf(listMessageTemplates);
const useChanges = crudChanges(KEY, {
  create: createMessageTemplate,
  edit: editMessageTemplate,
  remove: resetMessageTemplate,
});
const load = (id: number, signal: AbortSignal) => call(getMessageTemplate, { params: { id }, signal });

/** What a text is for, such as *E-mail · Alarm · English*. */
const wordsOf = ({ channel, kind, language }: MessageTemplateView, text: Text) =>
  [text(`alarms.message.${channel}`), text(`message-templates.kind.${kind}`), LANGUAGE_NAMES[language]].join(
    ' · ',
  );

function columnsFor({ text, time }: Viewer): ListColumn<MessageTemplateView>[] {
  return [
    {
      key: 'channel',
      title: text('message-templates.channel'),
      sortable: true,
      pinned: true,
      render: ({ channel }) => text(`alarms.message.${channel}`),
    },
    {
      key: 'kind',
      title: text('message-templates.kind'),
      render: ({ kind }) => text(`message-templates.kind.${kind}`),
    },
    {
      key: 'language',
      title: text('message-templates.language'),
      render: ({ language }) => LANGUAGE_NAMES[language],
    },
    {
      key: 'organization',
      title: text('message-templates.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => organizationName,
    },
    {
      key: 'text',
      title: text('message-templates.body'),
      maxWidth: 420,
      render: ({ subject, body }) => <span className="secondary">{subject || body}</span>,
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

/** List of the notification texts that replace the built-in ones. */
export default function MessageTemplates() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['channel'],
        label: text('message-templates.channel'),
        options: TEMPLATE_CHANNELS.map((value) => ({ value, label: text(`alarms.message.${value}`) })),
      },
      {
        keys: ['kind'],
        label: text('message-templates.kind'),
        options: TEMPLATE_KINDS.map((value) => ({ value, label: text(`message-templates.kind.${value}`) })),
      },
      {
        keys: ['language'],
        label: text('message-templates.language'),
        options: LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
      },
    ],
    [text],
  );
  return (
    <RecordList
      name="alarm-templates"
      title={text('menu.alarm-templates')}
      purpose={text('message-templates.purpose')}
      permission="alarm-templates:edit"
      param="template"
      source={source}
      queryKey={KEY}
      load={load}
      columns={columns}
      filters={filters}
      nameOf={(template) => wordsOf(template, text)}
      searchLabel={text('message-templates.search')}
      defaultSort={{ sort: 'channel', order: 'asc' }}
      words={{
        create: text('message-templates.create'),
        edit: text('message-templates.edit'),
        remove: text('message-templates.reset'),
      }}
      empty={{ title: text('message-templates.empty'), reason: text('message-templates.empty-reason') }}
      form={(template, close) => (
        <TemplateForm
          template={template}
          save={async (values) => {
            if (template) await changes.edit(template.id, values);
            else await changes.create(values);
          }}
          onClose={close}
        />
      )}
      removal={{
        title: (name) => text('message-templates.reset.title', { name }),
        means: () => text('message-templates.reset.means'),
        done: (name) => text('message-templates.reset-done', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
