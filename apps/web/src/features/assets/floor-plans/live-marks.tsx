import type { AssetCard } from '@isotherm/contracts/assets';
import type { PlanPoint } from '@isotherm/contracts/floor-plans';
import { switchLabel } from '../../../shared/format/labels.ts';
import { EN_RULE, indicatorValue, unitOf, withUnit } from '../../../shared/format/number.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { LevelGlyph, UnknownGlyph } from '../../../shared/ui/level-glyph.tsx';
import { isQuantity, isSilent, stateTitle } from '../asset-words.ts';
import type { PlanMark } from './plan-board.tsx';
import { pointKey } from './plans.queries.ts';

/** What a point is called: its asset, or the channel of it. */
export function pointName({ assetName, channelName }: Pick<PlanPoint, 'assetName' | 'channelName'>): string {
  return channelName === null ? assetName : `${assetName} · ${channelName}`;
}

/** The value in words; an en rule for one that is not known now. */
export function valueWords({ main, state }: Pick<AssetCard, 'main' | 'state'>, text: Text): string {
  if (!main || main.value === null || state.kind === 'unknown') return EN_RULE;
  return isQuantity(main)
    ? withUnit(main.indicator, main.value)
    : text(switchLabel(main.indicator, main.value));
}

/** State by shape and number, as on the wall; nothing for what is within its limits. */
export function StateGlyph({ card, size = 16 }: { card: AssetCard; size?: number }) {
  const { state } = card;
  if (state.kind === 'alarm' || state.kind === 'pending')
    return <LevelGlyph level={state.level} mode={state.kind === 'alarm' ? 'solid' : 'pending'} size={size} />;
  return state.kind === 'unknown' ? <UnknownGlyph size={size} /> : null;
}

/** The point as it stands on the plan; without a card, what it says is not known yet. */
export function liveMark(point: PlanPoint, card: AssetCard | undefined, text: Text): PlanMark {
  const name = pointName(point);
  const classes = ['plan-point'];
  if (card?.state.kind === 'alarm' || card?.state.kind === 'pending')
    classes.push(`level-${card.state.level}`, `plan-point-${card.state.kind}`);
  if (card && isSilent(card)) classes.push('plan-point-unknown');
  return {
    key: pointKey(point),
    x: point.x,
    y: point.y,
    label: card ? `${name}: ${stateTitle(card.state, text)}, ${valueWords(card, text)}` : name,
    className: classes.join(' '),
    face: (
      <>
        {card ? (
          <span className="plan-point-line">
            <StateGlyph card={card} />
            <PointValue card={card} />
          </span>
        ) : null}
        <span className="plan-point-name ellipsis">{point.channelName ?? point.assetName}</span>
      </>
    ),
  };
}

function PointValue({ card: { main, state } }: { card: AssetCard }) {
  const { text } = useText();
  if (!main || main.value === null || state.kind === 'unknown') return <span>{EN_RULE}</span>;
  if (!isQuantity(main)) return <span>{text(switchLabel(main.indicator, main.value))}</span>;
  return (
    <bdi dir="ltr">
      {indicatorValue(main.indicator, main.value)}
      <small>{unitOf(main.indicator)}</small>
    </bdi>
  );
}
