import './alarms.css';
import { type Alarm, exportAlarms, listAlarms } from '@isotherm/contracts/alarms';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { type ReactNode, useMemo, useState } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { BatchReport, type BatchResult, wentWell } from '../../shared/ui/batch-report.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListFilter, ListView, Selection } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { alarmListColumns } from './alarm-columns.tsx';
import { AlarmDrawer } from './alarm-drawer.tsx';
import { ALARMS_KEY, useHandleAlarms } from './alarms.queries.ts';

const source = pagesOf(listAlarms);
/** Changes arrive by the socket; polling catches missed ones. */
const REFRESH_MS = 60_000;
const VIEWS = ['all', 'open', 'unhandled', 'handled'] as const;

function useFilters(): ListFilter[] {
  const { text } = useText();
  const organizations = useOrganizations();
  return useMemo(
    () => [
      {
        keys: ['level'],
        label: text('alarms.column.level'),
        options: [...ALARM_LEVELS].reverse().map((level) => ({
          value: String(level),
          label: levelLabel(level, text),
        })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
}

/** Alarms that are open, or ended and not acknowledged. */
export function AlarmList({ pictures }: { pictures: (alarmId: number) => ReactNode }) {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const canHandle = usePermission('alarm-current:handle');
  const opened = Number(params.get('alarm')) || null;
  const [chosen, setChosen] = useState<Selection<Alarm> | null>(null);
  const columns = useMemo(() => alarmListColumns(viewer), [viewer]);
  const filters = useFilters();
  const views = useMemo<ListView[]>(
    () => VIEWS.map((show) => ({ key: show, label: text(`alarms.view.${show}`), query: { show } })),
    [text],
  );
  return (
    <>
      <ListPage
        name="alarm-current"
        title={text('menu.alarm-current')}
        purpose={text('alarms.purpose')}
        source={source}
        queryKey={ALARMS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ assetName }) => assetName}
        searchLabel={text('alarms.filter')}
        // Acknowledged alarms are sorted by time, open ones by severity.
        defaultSort={{ sort: params.get('view') === 'handled' ? 'since' : 'level', order: 'desc' }}
        filters={filters}
        views={views}
        counts={({ open, unhandled }) => ({ open, unhandled })}
        refreshAfter={() => REFRESH_MS}
        exporting={exportAlarms}
        onOpen={({ id }) => change({ alarm: id }, 'push')}
        {...(canHandle
          ? {
              bulk: (selection: Selection<Alarm>) => (
                <Button onClick={() => setChosen(selection)}>{text('alarms.handle')}</Button>
              ),
            }
          : {})}
        empty={{ title: text('alarms.empty.title'), reason: text('alarms.empty.reason') }}
      />
      <AlarmDrawer
        alarmId={opened}
        canHandle={canHandle}
        pictures={opened ? pictures(opened) : null}
        onClose={() => change({ alarm: null })}
      />
      <HandleMany chosen={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

/** One comment for several alarms, and the result. */
function HandleMany({ chosen, onClose }: { chosen: Selection<Alarm> | null; onClose: () => void }) {
  const { text } = useText();
  const handle = useHandleAlarms();
  const [report, setReport] = useState<BatchResult | null>(null);
  async function confirm({ items, clear }: Selection<Alarm>, comment: string) {
    const result = await handle({ ids: items.map(({ id }) => id), comment });
    clear();
    if (!wentWell(result, text('alarms.handle.done', { count: result.success }))) setReport(result);
  }
  return (
    <>
      {chosen ? (
        <ConfirmWithReason
          weight="reason"
          reasons="alarm-handling"
          reasonLabel={text('alarms.handle.comment')}
          title={text('alarms.handle.many', { count: chosen.items.length })}
          confirmLabel={text('alarms.handle.submit')}
          onConfirm={(comment) => confirm(chosen, comment)}
          onClose={onClose}
        >
          {text('alarms.handle.many-help')}
        </ConfirmWithReason>
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
    </>
  );
}
