import './calibration.css';
import {
  CALIBRATION_SHOWN,
  type CalibrationView,
  type countCalibrations,
  listCalibrations,
} from '@isotherm/contracts/calibrations';
import type { ResponseOf } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AttachmentCount } from '../../../shared/attachments/attachments.tsx';
import { EN_RULE } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon, type IconName } from '../../../shared/ui/icon.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { CalibrationDrawer } from './calibration-drawer.tsx';
import { CalibrationForm } from './calibration-form.tsx';
import {
  CALIBRATIONS_KEY,
  calibrationCountsQuery,
  loadCalibration,
  useCalibrationChanges,
} from './calibrations.queries.ts';

const source = pagesOf(listCalibrations);
const STATE_ICONS: Readonly<Record<CalibrationView['state'], IconName>> = {
  valid: 'check',
  'due-soon': 'clock',
  overdue: 'close',
};

/** State of a certificate as icon and text. */
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
      render: (each) => dayText(each.calibratedOn),
    },
    {
      key: 'dueOn',
      title: text('calibration.due-on'),
      sortable: true,
      render: (each) => dayText(each.dueOn),
    },
    {
      key: 'state',
      title: text('calibration.state'),
      render: (each) => <CalibrationStateTag calibration={each} />,
    },
    {
      key: 'files',
      title: text('common.attachments'),
      render: ({ files }) => <AttachmentCount files={files} />,
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

function countsOf(states: ResponseOf<typeof countCalibrations>): Record<string, number> {
  const { valid, overdue, 'due-soon': dueSoon } = states;
  return { current: valid + dueSoon + overdue, 'due-soon': dueSoon, overdue };
}

/** List of the certificates of sensors, with expiry and correction. */
export function CalibrationList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useCalibrationChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const { data: states } = useQuery(calibrationCountsQuery);
  const counts = useMemo(() => (states ? countsOf(states) : {}), [states]);
  return (
    <RecordList
      embedded
      name="device-calibration"
      title={text('menu.device-calibration')}
      purpose={text('calibration.purpose')}
      permission="device-calibration:edit"
      param="calibration"
      source={source}
      queryKey={CALIBRATIONS_KEY}
      load={loadCalibration}
      columns={columns}
      nameOf={(each) => each.certificate}
      searchLabel={text('calibration.search')}
      defaultSort={{ sort: 'dueOn', order: 'asc' }}
      views={CALIBRATION_SHOWN.map((key) => ({
        key,
        label: text(`calibration.view.${key}`),
        query: { shown: key } as Record<string, string>,
      }))}
      counts={() => counts}
      words={{
        create: text('calibration.create'),
        edit: text('calibration.edit'),
        remove: text('calibration.delete'),
      }}
      empty={{ title: text('calibration.empty.title'), reason: text('calibration.empty.reason') }}
      form={(calibration, close) => <CalibrationForm calibration={calibration} onClose={close} />}
      view={(calibration, close) => <CalibrationDrawer calibration={calibration} onClose={close} />}
      removal={{
        title: (name) => text('calibration.delete.title', { name }),
        means: ({ appliedFrom }) =>
          text(appliedFrom ? 'calibration.delete.corrects' : 'calibration.delete.means'),
        done: (name) => text('calibration.delete.done', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
