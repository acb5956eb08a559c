import type { Alarm } from '@isotherm/contracts/alarms';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { useViewer } from '../../shared/format/viewer.tsx';

/** Shows what a person entered when acknowledging the alarm. */
export function AcknowledgementFacts({ said }: { said: NonNullable<Alarm['acknowledgement']> }) {
  const { text, time } = useViewer();
  const rows = [
    ['alarms.acknowledge.reason', said.reason ? text(REASON_WORDS[said.reason]) : ''],
    ['alarms.acknowledge.cause', said.cause],
    ['alarms.acknowledge.corrective-action', said.correctiveAction],
    [
      'alarms.column.acknowledged',
      [
        text('alarms.acknowledged-at', { name: said.by, time: time(said.at, 'date-time') }),
        ...(said.byLink ? [text('links.by-link')] : []),
      ].join(' · '),
    ],
  ] as const;
  return (
    <dl className="alarm-said">
      {rows
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{text(label)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
