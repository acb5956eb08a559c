import type { ShownRecord, TripExcursion } from '@isotherm/contracts/waybills';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { celsius } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';

/** The excursions of a trip with their causes; a click leads map and chart to one. */
export function ExcursionList({ record, onSeek }: { record: ShownRecord; onSeek: (moment: number) => void }) {
  const { text } = useViewer();
  const { excursions, probes } = record;
  const more = (probes[0]?.verdict.excursions.length ?? 0) - excursions.length;
  return (
    <section className="panel waybill-section">
      <h2>{text('waybills.excursions')}</h2>
      {excursions.length === 0 ? (
        <p className="secondary">{text('waybills.paper.no-excursions')}</p>
      ) : (
        <ol className="waybill-custody waybill-excursions">
          {excursions.map((excursion) => (
            <Excursion key={excursion.from} excursion={excursion} onSeek={onSeek} />
          ))}
        </ol>
      )}
      {more > 0 ? <p className="small tertiary">{text('waybills.paper.more', { count: more })}</p> : null}
    </section>
  );
}

function Excursion({
  excursion: { from, to, peak, alarm },
  onSeek,
}: {
  excursion: TripExcursion;
  onSeek: (moment: number) => void;
}) {
  const { text, time } = useViewer();
  const seesAlarms = usePermission('alarm-current:view');
  return (
    <li>
      <Button variant="link" onClick={() => onSeek(from)}>
        {`${time(from, 'date-time')} – ${time(to, 'date-time')}`}
      </Button>
      <div className="strong">
        {text('waybills.excursion.lasts', { duration: formatDuration(to - from, text) })}
        {peak === null ? '' : ` · ${text('waybills.excursion.peak', { value: celsius(peak) })}`}
      </div>
      {alarm === null ? (
        <div className="secondary">{text('waybills.paper.no-alarm')}</div>
      ) : (
        <>
          <div className="secondary">
            <LevelGlyph level={alarm.level} />{' '}
            {seesAlarms ? (
              <Link to={`/alarm/${alarm.id}`}>{levelLabel(alarm.level, text)}</Link>
            ) : (
              levelLabel(alarm.level, text)
            )}{' '}
            {causeOf(alarm, text)}
          </div>
          <div className="small tertiary">
            {alarm.acknowledgedAt === null
              ? text('waybills.paper.not-acknowledged')
              : [
                  text('waybills.paper.acknowledged'),
                  alarm.acknowledgedBy,
                  time(alarm.acknowledgedAt, 'date-time'),
                ]
                  .filter(Boolean)
                  .join(' · ')}
          </div>
        </>
      )}
    </li>
  );
}

const causeOf = (
  { reason, cause, correctiveAction }: NonNullable<TripExcursion['alarm']>,
  text: Text,
): string =>
  [reason === null ? '' : text(REASON_WORDS[reason]), cause, correctiveAction].filter(Boolean).join(' · ') ||
  text('waybills.paper.no-cause');
