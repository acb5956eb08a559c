import type { AssetCard as Card } from '@isotherm/contracts/assets';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode, type RefObject, useMemo } from 'react';
import { Link } from 'react-router';
import { StateGlyph } from '../../shared/assets/asset-glyph.tsx';
import {
  deviationOf,
  isQuantity,
  levelOf,
  ownerText,
  peakText,
  stateTitle,
} from '../../shared/assets/asset-words.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { limitsText } from '../../shared/format/limits.ts';
import { useTicking } from '../../shared/format/now.ts';
import { EN_RULE, indicatorValue, shortLimit, unitOf, withUnit } from '../../shared/format/number.ts';
import { Age, Lasting } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { LimitSpark } from '../../shared/ui/limit-spark.tsx';
import { sparklineQuery } from './assets.queries.ts';
import { withNewest } from './live-sparkline.ts';
import { useInSight } from './use-in-sight.ts';

const LOW_BATTERY_PERCENT = 20;
const HOUR_MS = 3_600_000;

interface CardProps {
  card: Card;
  /** False for a user who may not open the page of the asset. */
  isLinked: boolean;
  /** Called when the card scrolls into view and out of it. */
  onSight: (assetId: number, inSight: boolean) => void;
}

/** Card of an asset that needs attention: state, value, deviation, and a sparkline of the last day. */
export const AttentionCard = memo(function AttentionCard({ card, isLinked, onSight }: CardProps) {
  const { text } = useText();
  const { ref, inSight } = useInSight<HTMLAnchorElement & HTMLDivElement>((now) => onSight(card.id, now));
  const { state, main } = card;
  const level = levelOf(state);
  const owner = ownerText(card, text);
  const classes = ['card', 'card-attention'];
  if (level !== null) classes.push(`level-${level}`);
  if (level !== null && level >= 4 && state.kind === 'alarm') classes.push('card-grave');
  if (state.kind === 'pending') classes.push('card-pending');
  if (state.kind === 'ended') classes.push('card-ended');
  if (state.kind === 'unknown') classes.push('card-unknown');
  return (
    <CardFrame assetId={card.id} isLinked={isLinked} className={classes.join(' ')} frameRef={ref}>
      <Strip card={card} />
      <div className="card-body">
        <div className="card-names">
          <div className="card-name ellipsis">{card.name}</div>
          <div className="card-place ellipsis">{card.place || card.organizationName}</div>
        </div>
        <div className="card-value">
          <BigValue card={card} />
        </div>
      </div>
      <CardSpark card={card} wanted={inSight} width={240} height={44} level={level} />
      <div className="card-foot">
        {main?.measuredAt ? (
          <span className={card.silent ? 'card-foot-item card-foot-strong' : 'card-foot-item'}>
            <Icon name="clock" small />
            <Age since={main.measuredAt} />
          </span>
        ) : (
          <span className="card-foot-item">{text('monitor.never-seen')}</span>
        )}
        {main && card.battery !== null ? <Battery percent={card.battery} /> : null}
        {owner ? <span className="end secondary ellipsis">{owner}</span> : null}
      </div>
    </CardFrame>
  );
});

/** Outer element of a card: a link to the asset, or plain content for a user who may not open it. */
function CardFrame({
  assetId,
  isLinked,
  className,
  frameRef,
  children,
}: {
  assetId: number;
  isLinked: boolean;
  className: string;
  frameRef: RefObject<(HTMLAnchorElement & HTMLDivElement) | null>;
  children: ReactNode;
}) {
  return isLinked ? (
    <Link ref={frameRef} className={className} to={`/asset/${assetId}`}>
      {children}
    </Link>
  ) : (
    <div ref={frameRef} className={className}>
      {children}
    </div>
  );
}

function Battery({ percent }: { percent: number }) {
  const low = percent < LOW_BATTERY_PERCENT;
  return (
    <span className={low ? 'card-foot-item card-foot-strong' : 'card-foot-item'}>
      <Icon name={low ? 'battery-low' : 'battery'} small />
      <bdi dir="ltr">{Math.round(percent)} %</bdi>
    </span>
  );
}

function Strip({ card }: { card: Card }) {
  const { state } = card;
  return (
    <div className="card-strip">
      <StateGlyph state={state} onStrip />
      <span className={levelOf(state) === null ? 'card-strip-plain ellipsis' : 'ellipsis'}>
        <StripTitle card={card} />
      </span>
      {state.kind === 'alarm' ? (
        <span className="end">
          <Lasting since={state.since} />
        </span>
      ) : null}
      {state.kind === 'ended' ? (
        <span className="end">
          <EndedAgo since={state.endedAt} />
        </span>
      ) : null}
      {state.kind === 'pending' ? (
        <span className="end">
          <Until level={state.level} dueAt={state.dueAt} />
        </span>
      ) : null}
    </div>
  );
}

function StripTitle({ card }: { card: Card }) {
  const { text } = useText();
  const { state } = card;
  const title = stateTitle(card, text);
  if (state.kind === 'alarm' && state.recovering) return text('monitor.state.recovering', { title });
  return state.kind === 'unknown' && state.since ? <SilentFor card={card} since={state.since} /> : title;
}

function EndedAgo({ since }: { since: string }) {
  const { text } = useText();
  const label = useTicking((now) => {
    const elapsed = now - Date.parse(since);
    // The time is rounded to whole hours, because a card has room for one unit only.
    const shown = elapsed < HOUR_MS ? elapsed : Math.floor(elapsed / HOUR_MS) * HOUR_MS;
    return text('monitor.ended-ago', { duration: formatDuration(shown, text) });
  });
  return <span className="number">{label}</span>;
}

function SilentFor({ card: { state, cause }, since }: { card: Card; since: string }) {
  const { text } = useText();
  const level = levelOf(state);
  return useTicking((now) => {
    const duration = formatDuration(now - Date.parse(since), text);
    const fault = cause
      ? text('monitor.no-data-of-for', { name: cause.name, duration })
      : text('monitor.no-data-for', { duration });
    return level === null ? fault : text('monitor.state.alarm', { level: levelLabel(level, text), fault });
  });
}

function Until({ level, dueAt }: { level: 1 | 2 | 3 | 4 | 5; dueAt: string }) {
  const { text } = useText();
  const label = useTicking((now) =>
    Date.parse(dueAt) <= now
      ? text('monitor.due-now', { level: levelLabel(level, text) })
      : text('monitor.pending-until', {
          level: levelLabel(level, text),
          duration: formatDuration(Date.parse(dueAt) - now, text),
        }),
  );
  return <span className="number">{label}</span>;
}

function BigValue({ card }: { card: Card }) {
  const { text } = useText();
  const { main } = card;
  if (!main || main.value === null || card.silent) {
    return (
      <>
        <div className="value value-unknown">
          {EN_RULE}
          <small>{text('monitor.no-value')}</small>
        </div>
        {main && main.value !== null ? (
          <div className="deviation tertiary">
            {text('monitor.last-value', {
              value: isQuantity(main)
                ? withUnit(main.indicator, main.value)
                : text(switchLabel(main.indicator, main.value)),
            })}
          </div>
        ) : null}
      </>
    );
  }
  if (!isQuantity(main)) {
    return <div className="value value-word">{text(switchLabel(main.indicator, main.value))}</div>;
  }
  const deviation = deviationOf(card, text);
  const peak = peakText(card, text);
  return (
    <>
      <div className="value">
        <bdi dir="ltr">
          {indicatorValue(main.indicator, main.value)}
          <small>{unitOf(main.indicator)}</small>
        </bdi>
      </div>
      <div className={(deviation ?? peak) ? 'deviation level-text' : 'deviation tertiary'}>
        {deviation ?? peak ?? <bdi dir="ltr">{limitsText(main, text)}</bdi>}
      </div>
    </>
  );
}

/** Card of an asset that needs no attention: small, without colour. */
export const QuietCard = memo(function QuietCard({ card, isLinked, onSight }: CardProps) {
  const { text } = useText();
  const { ref, inSight } = useInSight<HTMLAnchorElement & HTMLDivElement>((now) => onSight(card.id, now));
  const { main } = card;
  return (
    <CardFrame assetId={card.id} isLinked={isLinked} className="card card-quiet" frameRef={ref}>
      <div className="card-name ellipsis">{card.name}</div>
      <div className="card-quiet-row">
        {main && main.value !== null ? (
          <bdi dir="ltr" className="value-small">
            {isQuantity(main) ? (
              <>
                {indicatorValue(main.indicator, main.value)}
                <small>{unitOf(main.indicator)}</small>
              </>
            ) : (
              text(switchLabel(main.indicator, main.value))
            )}
          </bdi>
        ) : (
          <span className="value-small value-unknown">{EN_RULE}</span>
        )}
        {main && (main.low !== null || main.high !== null) ? (
          <bdi dir="ltr" className="card-limits">
            {[main.low, main.high].map((limit) => (limit === null ? EN_RULE : shortLimit(limit))).join(' / ')}
          </bdi>
        ) : null}
      </div>
      <CardSpark card={card} wanted={inSight} width={180} height={32} level={null} />
    </CardFrame>
  );
});

function CardSpark({
  card,
  wanted,
  width,
  height,
  level,
}: {
  card: Card;
  wanted: boolean;
  width: number;
  height: number;
  level: 1 | 2 | 3 | 4 | 5 | null;
}) {
  const { data } = useQuery({
    ...sparklineQuery(card.id, card.main?.channelId ?? null),
    enabled: wanted && card.main !== null,
  });
  const line = useMemo(() => data && withNewest(data, card.main), [data, card.main]);
  if (!line) return <div className="card-spark" style={{ height }} />;
  // An on/off channel has no limits to draw.
  const banded = card.main && isQuantity(card.main) ? card.main : null;
  return (
    <div className="card-spark">
      <LimitSpark
        min={line.min}
        max={line.max}
        low={banded ? banded.low : null}
        high={banded ? banded.high : null}
        stepped={banded === null}
        width={width}
        height={height}
        level={level}
        muted={card.silent}
      />
    </div>
  );
}
