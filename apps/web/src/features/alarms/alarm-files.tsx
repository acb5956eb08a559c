import './alarm-page.css';
import { alarmFiles } from '@isotherm/contracts/alarm-files';
import { Attachments } from '../../shared/attachments/attachments.tsx';
import { ALARMS_KEY } from './alarms.queries.ts';

/** Photos and documents of an alarm. */
export function AlarmFiles({ alarmId }: { alarmId: number }) {
  return (
    <section className="panel alarm-panel alarm-panel-body">
      <Attachments routes={alarmFiles} recordId={alarmId} listKey={ALARMS_KEY} />
    </section>
  );
}
