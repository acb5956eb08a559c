import type { AssetCard } from '@isotherm/contracts/assets';
import type { PlanPoint } from '@isotherm/contracts/floor-plans';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { StateGlyph } from '../../../shared/assets/asset-glyph.tsx';
import { isQuantity, levelOf, stateTitle } from '../../../shared/assets/asset-words.ts';
import { EN_RULE, indicatorValue, unitOf, withUnit } from '../../../shared/format/number.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import type { PlanMark } from './plan-board.tsx';
import { pointKey } from './plans.queries.ts';

/** Returns the name of a point: its asset, or the channel of the asset. */
export function pointName({ assetName, channelName }: Pick<PlanPoint, 'assetName' | 'channelName'>): string {
  return channelName === null ? assetName : `${assetName} · ${channelName}`;
}

/** Returns the value as text; an en dash if it is not known. */
export function valueWords({ main, silent }: Pick<AssetCard, 'main' | 'silent'>, text: Text): string {
  if (!main || main.value === null || silent) return EN_RULE;
  return isQuantity(main)
    ? withUnit(main.indicator, main.value)
    : text(switchLabel(main.indicator, main.value));
}

/** Returns a point as it is drawn on the plan. Without a card, its state is unknown. */
export function liveMark(point: PlanPoint, card: AssetCard | undefined, text: Text): PlanMark {
  const name = pointName(point);
  const classes = ['plan-point'];
  const level = card ? levelOf(card.state) : null;
  if (card && level !== null) classes.push(`level-${level}`, `plan-point-${card.state.kind}`);
  if (card?.silent) classes.push('plan-point-unknown');
  return {
    key: pointKey(point),
    x: point.x,
    y: point.y,
    label: card ? `${name}: ${stateTitle(card, text)}, ${valueWords(card, text)}` : name,
    className: classes.join(' '),
    face: (
      <>
        {card ? (
          <span className="plan-point-line">
            <StateGlyph state={card.state} />
            <PointValue card={card} />
          </span>
        ) : null}
        <span className="plan-point-name ellipsis">{point.channelName ?? point.assetName}</span>
      </>
    ),
  };
}

function PointValue({ card: { main, silent } }: { card: AssetCard }) {
  const { text } = useText();
  if (!main || main.value === null || silent) return <span>{EN_RULE}</span>;
  if (!isQuantity(main)) return <span>{text(switchLabel(main.indicator, main.value))}</span>;
  return (
    <bdi dir="ltr">
      {indicatorValue(main.indicator, main.value)}
      <small>{unitOf(main.indicator)}</small>
    </bdi>
  );
}
