import './alarms.css';
import { type AcknowledgementInput, type Alarm, exportAlarms, listAlarms } from '@isotherm/contracts/alarms';
import { ACKNOWLEDGEMENT_FIELDS, type AcknowledgementField } from '@isotherm/domain/alarms/acknowledgement';
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
import { FormDrawer } from '../../shared/ui/form/form-drawer.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListFilter, ListView, Selection } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { AcknowledgementFields, useAcknowledgementSchema } from './acknowledge-form.tsx';
import { alarmListColumns } from './alarm-columns.tsx';
import { AlarmDrawer } from './alarm-drawer.tsx';
import { AlarmGroups } from './alarm-groups.tsx';
import { ALARMS_KEY, useAlarmBatches } from './alarms.queries.ts';

const source = pagesOf(listAlarms);
/** Changes arrive through the WebSocket; polling catches missed ones. */
const REFRESH_MS = 60_000;
const VIEWS = ['all', 'open', 'unacknowledged', 'acknowledged'] as const;

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
      {
        keys: ['fixed'],
        label: text('alarms.column.fixed'),
        options: [
          { value: 'true', label: text('alarms.fixed') },
          { value: 'false', label: text('alarms.not-fixed') },
        ],
      },
      {
        keys: ['mine'],
        label: text('alarms.assignee'),
        options: [{ value: 'true', label: text('alarms.filter.mine') }],
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
}

/** List of alarms that are open, or that are ended and not acknowledged. */
export function AlarmList({ pictures }: { pictures: (alarmId: number) => ReactNode }) {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const canAcknowledge = usePermission('alarm-current:acknowledge');
  const canEnd = usePermission('alarm-current:end');
  const opened = Number(params.get('alarm')) || null;
  const [chosen, setChosen] = useState<Chosen | null>(null);
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
        // By default, acknowledged alarms are sorted by their start, and the alarms of other views by level.
        defaultSort={{ sort: params.get('view') === 'acknowledged' ? 'since' : 'level', order: 'desc' }}
        filters={filters}
        views={views}
        counts={({ open, unacknowledged }) => ({ open, unacknowledged })}
        refreshAfter={() => REFRESH_MS}
        exporting={exportAlarms}
        onOpen={({ id }) => change({ alarm: id }, 'push')}
        above={
          params.get('view') === 'acknowledged' ? null : (
            <AlarmGroups
              query={groupQuery(params)}
              onOpen={({ id }) => change({ alarm: id }, 'push')}
              onAcknowledge={
                canAcknowledge
                  ? ({ unacknowledged, required }) =>
                      setChosen({ as: 'acknowledge', ids: unacknowledged, required, clear: () => undefined })
                  : undefined
              }
            />
          )
        }
        {...(canAcknowledge || canEnd
          ? {
              bulk: (selection: Selection<Alarm>) => (
                <>
                  {canAcknowledge ? (
                    <Button onClick={() => setChosen(chosenOf('acknowledge', selection))}>
                      {text('alarms.acknowledge')}
                    </Button>
                  ) : null}
                  {canEnd ? (
                    <Button onClick={() => setChosen(chosenOf('end', selection))}>
                      {text('alarms.end')}
                    </Button>
                  ) : null}
                </>
              ),
            }
          : {})}
        empty={{ title: text('alarms.empty.title'), reason: text('alarms.empty.reason') }}
      />
      <AlarmDrawer
        alarmId={opened}
        canAcknowledge={canAcknowledge}
        pictures={opened ? pictures(opened) : null}
        onClose={() => change({ alarm: null })}
      />
      <BatchDialogs chosen={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

/** Several alarms that are acknowledged or ended at once. */
interface Chosen {
  as: 'acknowledge' | 'end';
  ids: readonly number[];
  /** Fields that any of their policies requires. */
  required: readonly AcknowledgementField[];
  /** Ends the selection in the list. */
  clear: () => void;
}

function chosenOf(as: Chosen['as'], { items, clear }: Selection<Alarm>): Chosen {
  return {
    as,
    ids: items.map(({ id }) => id),
    required: ACKNOWLEDGEMENT_FIELDS.filter((field) =>
      items.some(({ required }) => required.includes(field)),
    ),
    clear,
  };
}

/** Filters of the list that also apply to the groups above it. */
function groupQuery(params: URLSearchParams) {
  const view = VIEWS.find((each) => each === params.get('view')) ?? 'all';
  const fixed = params.get('fixed');
  const [level, organizationId] = [Number(params.get('level')), Number(params.get('organizationId'))];
  return {
    show: view,
    ...(level > 0 ? { level } : {}),
    ...(organizationId > 0 ? { organizationId } : {}),
    ...(fixed === 'true' ? { fixed: 'true' as const } : {}),
    ...(fixed === 'false' ? { fixed: 'false' as const } : {}),
    search: (params.get('q') ?? '').slice(0, 100),
    ...(params.get('mine') === 'true' ? { mine: 'true' as const } : {}),
  };
}

/** Dialogs that acknowledge or end several alarms and list those that failed. */
function BatchDialogs({ chosen, onClose }: { chosen: Chosen | null; onClose: () => void }) {
  const { text } = useText();
  const batches = useAlarmBatches();
  const [report, setReport] = useState<BatchResult | null>(null);
  const ids = [...(chosen?.ids ?? [])];
  function done(result: BatchResult, as: Chosen['as']) {
    chosen?.clear();
    if (!wentWell(result, text(`alarms.${as}.done`, { count: result.success }))) setReport(result);
  }
  return (
    <>
      {chosen?.as === 'acknowledge' ? (
        <AcknowledgeMany
          count={ids.length}
          required={chosen.required}
          submit={async (said) => done(await batches.acknowledge({ ids, ...said }), 'acknowledge')}
          onClose={onClose}
        />
      ) : null}
      {chosen?.as === 'end' ? (
        <ConfirmWithReason
          weight="reason"
          grave
          reasonLabel={text('alarms.end.reason')}
          title={text('alarms.end.many', { count: ids.length })}
          confirmLabel={text('alarms.end')}
          onConfirm={async (reason) => done(await batches.end({ ids, reason }), 'end')}
          onClose={onClose}
        >
          {text('alarms.end.help')}
        </ConfirmWithReason>
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
    </>
  );
}

/**
 * One acknowledgement for several alarms. It must contain every field that any of their policies requires.
 */
function AcknowledgeMany({
  count,
  required,
  submit,
  onClose,
}: {
  count: number;
  required: readonly AcknowledgementField[];
  submit: (said: AcknowledgementInput) => Promise<void>;
  onClose: () => void;
}) {
  const { text } = useText();
  const schema = useAcknowledgementSchema(required);
  return (
    <FormDrawer
      title={text('alarms.acknowledge.many', { count })}
      schema={schema}
      initial={NOTHING}
      submitLabel={text('alarms.acknowledge.submit')}
      submit={(said) => submit(said as AcknowledgementInput)}
      onClose={onClose}
    >
      <p className="form-wide secondary">{text('alarms.acknowledge.many-help')}</p>
      <AcknowledgementFields />
    </FormDrawer>
  );
}

const NOTHING = {};
