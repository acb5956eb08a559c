import type { Dashboard } from '@isotherm/contracts/dashboard';
import { Link } from 'react-router';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { buttonClass } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph, UnknownGlyph, UnsetGlyph } from '../../shared/ui/level-glyph.tsx';
import { faultOf, valueWords } from './dashboard-words.ts';

/** The sentence that a manager reads first: is everything in order? */
export function HeadlinePanel({ dashboard }: { dashboard: Dashboard }) {
  const { text } = useViewer();
  const { headline, assets, alarms } = dashboard;
  const level = alarms?.worst?.level ?? 0;
  const worst = alarms?.waiting[0];
  const target = {
    action: worst && { to: `/alarm/${worst.id}`, words: text('dashboard.open-alarm') },
    handled: { to: '/alarm/current', words: text('dashboard.show-alarms') },
    silent: { to: '/monitor?state=unknown', words: text('dashboard.show-assets') },
    unwatched: { to: '/monitor?state=unset', words: text('dashboard.show-assets') },
    quiet: { to: '/monitor', words: text('dashboard.show-assets') },
    empty: { to: '/asset/refrigerators?new=1', words: text('dashboard.create-asset') },
  }[headline];
  return (
    <section
      className={`panel dashboard-headline dashboard-${headline}${headline === 'action' ? ` level-${level}` : ''}`}
      aria-label={text('dashboard.headline')}
    >
      <Mark dashboard={dashboard} />
      <div className="grow">
        <p className="dashboard-sentence" role="status">
          {text(`dashboard.headline.${headline}`, {
            count: countOf(dashboard),
            level,
          })}
        </p>
        <p className="secondary">
          {headline === 'action' && worst ? <WorstAlarm dashboard={dashboard} /> : null}{' '}
          {assets.total > 0
            ? text('dashboard.calm', { calm: assets.calm, count: assets.total })
            : text('dashboard.calm.none')}
        </p>
      </div>
      {target ? (
        <Link
          className={buttonClass({ variant: headline === 'action' ? 'primary' : 'secondary' })}
          to={target.to}
        >
          {target.words}
        </Link>
      ) : null}
    </section>
  );
}

function WorstAlarm({ dashboard }: { dashboard: Dashboard }) {
  const { text, language } = useViewer();
  const worst = dashboard.alarms?.waiting[0];
  if (!worst) return null;
  const value = valueWords(worst, language, text);
  return (
    <>
      {worst.assetName}
      {worst.place === '' ? '' : `, ${worst.place}`}: {value === '' ? '' : `${value}, `}
      {faultOf(worst, text)}, <Lasting since={worst.since} until={worst.endedAt} />.
    </>
  );
}

/** The number in the sentence; for a user who may not see alarms, the sentence has none. */
function countOf({ headline, assets, alarms }: Dashboard): number {
  if (headline === 'silent') return assets.silent;
  if (headline === 'unwatched') return assets.unwatched;
  return alarms?.worst?.count ?? alarms?.open ?? 0;
}

function Mark({ dashboard: { headline, alarms } }: { dashboard: Dashboard }) {
  if (headline === 'action' && alarms?.worst) return <LevelGlyph level={alarms.worst.level} size={28} />;
  if (headline === 'silent') return <UnknownGlyph size={28} />;
  if (headline === 'unwatched') return <UnsetGlyph size={28} />;
  return <Icon name={headline === 'handled' ? 'alarms' : headline === 'quiet' ? 'check' : 'assets'} />;
}
