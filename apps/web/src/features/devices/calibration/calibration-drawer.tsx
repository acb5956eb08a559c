import './calibration.css';
import { type CalibrationView, calibrationFiles } from '@isotherm/contracts/calibrations';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import Drawer from 'antd/es/drawer';
import { Attachments } from '../../../shared/attachments/attachments.tsx';
import { EN_RULE, fixed, unitOf } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { sensorName } from './calibration-form.tsx';
import { CALIBRATIONS_KEY } from './calibrations.queries.ts';

/** Drawer with a calibration certificate for users with read access. */
export function CalibrationDrawer({
  calibration,
  onClose,
}: {
  calibration: CalibrationView;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const { sensor, points, appliedFrom, endedAt } = calibration;
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={calibration.certificate}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <Definitions
          facts={[
            { label: text('calibration.sensor'), value: sensorName(sensor, text) },
            { label: text('calibration.serial'), value: calibration.serial },
            { label: text('calibration.laboratory'), value: calibration.laboratory },
            { label: text('calibration.calibrated-on'), value: dayText(calibration.calibratedOn) },
            { label: text('calibration.due-on'), value: dayText(calibration.dueOn) },
            {
              label: text('calibration.correction'),
              value: appliedFrom
                ? text('calibration.corrected-since', { day: time(appliedFrom, 'date') })
                : text('calibration.not-corrected'),
            },
            ...(endedAt ? [{ label: text('calibration.ended'), value: time(endedAt, 'date') }] : []),
            { label: text('calibration.note'), value: calibration.note || EN_RULE },
          ]}
        />
        {points.length > 0 ? (
          <TableFrame label={text('calibration.points')}>
            <thead>
              <tr>
                <th scope="col">{text('calibration.channel')}</th>
                {(['reference', 'reading', 'error', 'uncertainty'] as const).map((each) => (
                  <th key={each} scope="col" className="figure">
                    {text(`calibration.${each}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ channelId, reference, reading, uncertainty }) => {
                const channel = sensor.channels.find(({ id }) => id === channelId);
                const unit = channel ? unitOf(channel.indicator) : '';
                const decimals = channel ? INDICATORS[channel.indicator].precision + 1 : 1;
                return (
                  <tr key={`${channelId}/${reading}`}>
                    <td>{channel?.name}</td>
                    <td className="figure">{`${fixed(reference, decimals)} ${unit}`}</td>
                    <td className="figure">{`${fixed(reading, decimals)} ${unit}`}</td>
                    <td className="figure">{`${fixed(reading - reference, decimals)} ${unit}`}</td>
                    <td className="figure">
                      {uncertainty === null ? EN_RULE : `${fixed(uncertainty, decimals)} ${unit}`}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </TableFrame>
        ) : null}
        <Attachments routes={calibrationFiles} recordId={calibration.id} listKey={CALIBRATIONS_KEY} />
      </Drawer>
    </>
  );
}
