import {
  exportRegisteredReports,
  linkRegisteredReport,
  listRegisteredReports,
  type RegisteredReport,
  readRegisteredReport,
} from '@isotherm/contracts/report-register';
import { REPORT_KINDS } from '@isotherm/domain/reports/report-number';
import { useMemo } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { call } from '../../shared/api/client.ts';
import { saveDownload } from '../../shared/api/save-download.ts';
import { sizeText } from '../../shared/format/size.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';

const REGISTER_KEY = ['reports', 'register'] as const;
const source = pagesOf(listRegisteredReports);
/** Enough of a checksum to compare it at a glance. */
const SHOWN_DIGITS = 12;

function columnsFor({ text, time }: Viewer): ListColumn<RegisteredReport>[] {
  return [
    {
      key: 'number',
      title: text('reports.register.number'),
      pinned: true,
      render: ({ number }) => <span className="number">{number}</span>,
    },
    { key: 'kind', title: text('reports.kind'), render: ({ kind }) => text(`reports.kind.${kind}`) },
    {
      key: 'subject',
      title: text('reports.register.subject'),
      maxWidth: 320,
      render: ({ subject }) => subject,
    },
    {
      key: 'issuer',
      title: text('reports.register.issuer'),
      maxWidth: 220,
      render: ({ issuer }) => <span className="secondary">{issuer}</span>,
    },
    {
      key: 'createdAt',
      title: text('reports.register.created'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ createdAt, createdBy }) => (
        <span className="secondary">
          <span className="number">{time(createdAt, 'date-time')}</span> · {createdBy}
        </span>
      ),
    },
    {
      key: 'sizeBytes',
      title: text('reports.register.size'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ sizeBytes }) => <span className="number">{sizeText(sizeBytes)}</span>,
    },
    {
      key: 'sha256',
      title: text('reports.register.sha256'),
      render: ({ sha256 }) => <code title={sha256}>{`${sha256.slice(0, SHOWN_DIGITS)}…`}</code>,
    },
  ];
}

/** Opens the public page at which the report is verified. The API client shows a failure. */
async function verify(id: number): Promise<void> {
  // Opened at once, because a browser blocks a window that is opened after a request.
  const page = window.open('', '_blank');
  const link = await call(linkRegisteredReport, { params: { id } }).catch(() => null);
  if (!page) return;
  if (!link) return page.close();
  page.opener = null;
  page.location.href = link.path;
}

const download = (id: number, number: string) =>
  saveDownload(readRegisteredReport, { params: { id } }, `${number}.pdf`);

/** The register of reports: every PDF that was written, with its number and checksum. */
export default function ReportRegisterPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['kind'],
        label: text('reports.kind'),
        options: REPORT_KINDS.map((value) => ({ value, label: text(`reports.kind.${value}`) })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
  return (
    <ListPage
      name="report-register"
      title={text('menu.report-register')}
      purpose={text('reports.register.purpose')}
      source={source}
      queryKey={REGISTER_KEY}
      columns={columns}
      filters={filters}
      rowKey={({ id }) => id}
      rowName={({ number }) => number}
      searchLabel={text('reports.register.search')}
      defaultSort={{ sort: 'createdAt', order: 'desc' }}
      exporting={exportRegisteredReports}
      rowActions={({ id, number, hasFile }) => [
        { key: 'verify', label: text('reports.register.verify'), onClick: () => void verify(id) },
        ...(hasFile
          ? [
              {
                key: 'download',
                label: text('reports.register.download'),
                onClick: () => void download(id, number),
              },
            ]
          : []),
      ]}
      empty={{ title: text('reports.register.empty'), reason: text('reports.register.empty-reason') }}
    />
  );
}
