import './calibration.css';
import { CALIBRATION_SHOWN, type CalibrationView, listCalibrations } from '@isotherm/contracts/calibrations';
import { CALIBRATION_STATES } from '@isotherm/domain/devices/calibration';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon, type IconName } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { CalibrationDrawer } from './calibration-drawer.tsx';
import { CalibrationForm } from './calibration-form.tsx';
import {
  CALIBRATIONS_KEY,
  calibrationCountsQuery,
  calibrationQuery,
  useCalibrationChanges,
} from './calibrations.queries.ts';

const EDIT = 'device-calibration:edit';
const source = pagesOf(listCalibrations);
const STATE_ICONS: Readonly<Record<CalibrationView['state'], IconName>> = {
  valid: 'check',
  'due-soon': 'clock',
  overdue: 'close',
};

/** Where a certificate stands, by glyph and word. */
function CalibrationStateTag({
  calibration: { state, superseded, endedAt },
}: {
  calibration: Pick<CalibrationView, 'state' | 'superseded' | 'endedAt'>;
}) {
  const { text } = useText();
  if (endedAt) return <span className="tag">{text('calibration.ended')}</span>;
  if (superseded) return <span className="tag">{text('calibration.superseded')}</span>;
  return (
    <span className={`tag calibration-tag calibration-${state}`}>
      <Icon name={STATE_ICONS[state]} small />
      {text(`calibration.state.${state}`)}
    </span>
  );
}

function columnsFor({ text, time }: Viewer): ListColumn<CalibrationView>[] {
  return [
    {
      key: 'deviceNumber',
      title: text('calibration.sensor'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ sensor, serial }) => (
        <span>
          {text('calibration.sensor.name', {
            device: sensor.deviceNumber,
            index: sensor.index,
            name: sensor.name,
          })}
          <span className="small tertiary"> {serial}</span>
        </span>
      ),
    },
    {
      key: 'assetName',
      title: text('menu.asset'),
      maxWidth: 220,
      render: ({ sensor }) => <span className="secondary">{sensor.assetName ?? EN_RULE}</span>,
    },
    {
      key: 'certificate',
      title: text('calibration.certificate'),
      maxWidth: 180,
      render: (each) => each.certificate,
    },
    {
      key: 'laboratory',
      title: text('calibration.laboratory'),
      sortable: true,
      maxWidth: 220,
      render: (each) => <span className="secondary">{each.laboratory}</span>,
    },
    {
      key: 'calibratedOn',
      title: text('calibration.calibrated-on'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => each.calibratedOn,
    },
    { key: 'dueOn', title: text('calibration.due-on'), sortable: true, render: (each) => each.dueOn },
    {
      key: 'state',
      title: text('calibration.state'),
      render: (each) => <CalibrationStateTag calibration={each} />,
    },
    {
      key: 'appliedFrom',
      title: text('calibration.correction'),
      render: ({ appliedFrom }) => (
        <span className="secondary">
          {appliedFrom
            ? text('calibration.corrected-since', { day: time(appliedFrom, 'date') })
            : text('calibration.not-corrected')}
        </span>
      ),
    },
  ];
}

/** Certificates of sensors: when they end, and what they take off the readings. */
export function CalibrationList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useCalibrationChanges();
  const editing = usePagePermission(EDIT);
  const [doomed, setDoomed] = useState<CalibrationView | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const open = Number(params.get('calibration')) || null;
  const { data: calibration } = useQuery({ ...calibrationQuery(open ?? 0), enabled: open !== null });
  const shown = calibration?.id === open ? calibration : undefined;
  const close = () => change({ new: null, calibration: null });
  const addButton = (
    <PermissionButton
      permission={EDIT}
      className="button button-primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('calibration.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="device-calibration"
        title={text('menu.device-calibration')}
        purpose={text('calibration.purpose')}
        source={source}
        queryKey={CALIBRATIONS_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={(each) => each.certificate}
        searchLabel={text('calibration.search')}
        defaultSort={{ sort: 'dueOn', order: 'asc' }}
        views={CALIBRATION_SHOWN.map((key) => ({
          key,
          label: text(`calibration.view.${key}`),
          query: { shown: key } as Record<string, string>,
        }))}
        above={<Counts />}
        onOpen={(each) => change({ calibration: each.id }, 'push')}
        actions={addButton}
        rowActions={(each) =>
          editing === 'held'
            ? [
                {
                  key: 'edit',
                  label: text('calibration.edit'),
                  onClick: () => change({ calibration: each.id }, 'push'),
                },
                {
                  key: 'delete',
                  danger: true,
                  label: text('calibration.delete'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []
        }
        empty={{
          title: text('calibration.empty.title'),
          reason: text('calibration.empty.reason'),
          action: addButton,
        }}
      />
      {params.get('new') && editing === 'held' ? <CalibrationForm onClose={close} /> : null}
      {shown && editing === 'held' ? (
        <CalibrationForm key={shown.id} calibration={shown} onClose={close} />
      ) : null}
      {shown && editing === 'denied' ? <CalibrationDrawer calibration={shown} onClose={close} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('calibration.delete.title', { name: doomed.certificate })}
          confirmLabel={text('calibration.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('calibration.delete.done', { name: doomed.certificate }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text(doomed.appliedFrom ? 'calibration.delete.corrects' : 'calibration.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

/** How many sensors are in which state: what the list cannot show is who never had a certificate. */
function Counts() {
  const { text } = useText();
  const { data } = useQuery(calibrationCountsQuery);
  if (!data) return null;
  return (
    <p className="calibration-counts secondary">
      {CALIBRATION_STATES.map((state) => (
        <span key={state}>
          <strong>{data[state]}</strong> {text(`calibration.count.${state}`)}
        </span>
      ))}
    </p>
  );
}
