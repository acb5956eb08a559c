import '../settings.css';
import {
  listPrintHeads,
  PRINT_HEAD_KINDS,
  type PrintHead,
  printHeadInput,
} from '@isotherm/contracts/print-heads';
import type { ReportKind } from '@isotherm/domain/reports/report-number';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, TagsField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { saveFile } from '../../../shared/ui/save-file.ts';
import { HeadLogoField } from './head-logo-field.tsx';
import { loadPreview, loadPrintHead, PRINT_HEADS_KEY, usePrintHeadChanges } from './print-heads.queries.ts';

const source = pagesOf(listPrintHeads);
const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'print_head.taken': 'reportKind' };

const kindWords = (kind: 'all' | ReportKind, text: Viewer['text']) =>
  kind === 'all' ? text('print-heads.kind.all') : text(`reports.kind.${kind}`);

function columnsFor({ text, time }: Viewer): ListColumn<PrintHead>[] {
  return [
    {
      key: 'organizationName',
      title: text('print-heads.organization'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ organizationName }) => organizationName,
    },
    {
      key: 'kind',
      title: text('print-heads.kind'),
      render: ({ reportKind }) => kindWords(reportKind, text),
    },
    {
      key: 'logo',
      title: text('print-heads.logo'),
      render: ({ logo }) => (logo ? <img className="logo-small" src={logo} alt="" /> : EN_RULE),
    },
    {
      key: 'title',
      title: text('print-heads.title'),
      maxWidth: 260,
      render: ({ title }) => title || EN_RULE,
    },
    {
      key: 'signatures',
      title: text('print-heads.signatures'),
      maxWidth: 260,
      render: ({ signatures }) => signatures.join(', ') || EN_RULE,
    },
    {
      key: 'changedAt',
      title: text('print-heads.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** Heads of printed reports, by organisation and kind of report. */
export default function PrintHeadsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = usePrintHeadChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      name="print-heads"
      title={text('menu.management-print-heads')}
      purpose={text('print-heads.purpose')}
      permission="management-print-heads:edit"
      param="head"
      source={source}
      queryKey={PRINT_HEADS_KEY}
      load={loadPrintHead}
      columns={columns}
      nameOf={({ organizationName }) => organizationName}
      searchLabel={text('print-heads.search')}
      defaultSort={{ sort: 'organizationName', order: 'asc' }}
      words={{
        create: text('print-heads.create'),
        edit: text('print-heads.edit'),
        remove: text('print-heads.delete'),
      }}
      empty={{ title: text('print-heads.empty'), reason: text('print-heads.empty-reason') }}
      moreRowActions={({ id }) => [
        { key: 'preview', label: text('print-heads.preview'), onClick: () => void preview(id) },
      ]}
      form={(head, close) => <PrintHeadForm head={head} onClose={close} />}
      removal={{
        title: (name) => text('print-heads.delete.title', { name }),
        means: () => text('print-heads.delete.means'),
        done: (name) => text('print-heads.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

async function preview(id: number): Promise<void> {
  // The API client has already shown a failure.
  const file = await loadPreview(id).catch(() => null);
  if (file) saveFile(file.fileName, file.content);
}

function PrintHeadForm({ head, onClose }: { head: PrintHead | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = usePrintHeadChanges();
  return (
    <FormDrawer
      title={text(head ? 'print-heads.edit' : 'print-heads.create')}
      submitLabel={text(head ? 'common.action.save' : 'print-heads.create')}
      schema={printHeadInput}
      initial={
        head
          ? {
              organizationId: head.organizationId,
              reportKind: head.reportKind,
              title: head.title,
              fields: head.fields,
              signatures: head.signatures,
            }
          : { reportKind: 'all' as const, title: '', fields: '', signatures: [] }
      }
      submit={(values) => (head ? changes.edit(head.id, values) : changes.create(values))}
      success={text('print-heads.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <OrganizationField label={text('print-heads.organization')} help={text('print-heads.covers')} />
        <SelectField
          name="reportKind"
          label={text('print-heads.kind')}
          options={PRINT_HEAD_KINDS.map((value) => ({ value, label: kindWords(value, text) }))}
        />
        <TextField
          wide
          name="title"
          label={text('print-heads.title')}
          help={text('print-heads.title.help')}
        />
        <TextAreaField
          wide
          name="fields"
          label={text('print-heads.fields')}
          help={text('print-heads.fields.help')}
          rows={4}
        />
        <TagsField
          wide
          name="signatures"
          label={text('print-heads.signatures')}
          help={text('print-heads.signatures.help')}
          placeholder=""
        />
        {head ? (
          <HeadLogoField head={head} />
        ) : (
          <p className="small secondary form-wide">{text('print-heads.logo.later')}</p>
        )}
      </FormSection>
    </FormDrawer>
  );
}
