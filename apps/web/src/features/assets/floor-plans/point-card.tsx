import type { AssetCard } from '@isotherm/contracts/assets';
import type { PlanPoint } from '@isotherm/contracts/floor-plans';
import { StateGlyph } from '../../../shared/assets/asset-glyph.tsx';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { stateTitle } from '../../../shared/assets/asset-words.ts';
import { ASSET_KIND_LABEL } from '../../../shared/format/labels.ts';
import { limitsText } from '../../../shared/format/limits.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { Age } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button, buttonClass } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { pointName, valueWords } from './live-marks.tsx';

/** Card with the details of the selected point and its links. */
export function PointCard({
  point,
  card,
  onClose,
}: {
  point: PlanPoint;
  card: AssetCard | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  return (
    <aside
      // The card is placed on the opposite half of the plan, so that it does not cover the point.
      className={point.x > 0.5 ? 'panel plan-card plan-card-left' : 'panel plan-card'}
      aria-label={pointName(point)}
    >
      <div className="row">
        <h2 className="strong">{pointName(point)}</h2>
        <Button
          variant="quiet"
          icon
          className="end"
          aria-label={text('common.action.close')}
          onClick={onClose}
        >
          <Icon name="close" />
        </Button>
      </div>
      <p className="small tertiary">{`${text(ASSET_KIND_LABEL[point.assetKind])} · ${point.assetCode}`}</p>
      {card ? (
        <>
          <p className="row plan-card-state">
            <StateGlyph state={card.state} />
            {stateTitle(card, text)}
          </p>
          <p className="plan-card-value">
            <bdi dir="ltr">{valueWords(card, text)}</bdi>
          </p>
          <Definitions
            facts={[
              {
                label: text('asset.fact.limits'),
                value: card.main ? <bdi dir="ltr">{limitsText(card.main, text)}</bdi> : EN_RULE,
              },
              {
                label: text('asset.fact.measured'),
                value: card.main?.measuredAt ? (
                  <Age since={card.main.measuredAt} />
                ) : (
                  text('monitor.never-seen')
                ),
              },
            ]}
          />
        </>
      ) : null}
      <div className="row">
        <AssetLink isButton className={buttonClass()} assetId={point.assetId}>
          <Icon name="curve" />
          {text('asset.tab.curve')}
        </AssetLink>
        <AssetLink isButton className={buttonClass()} assetId={point.assetId} to="?tab=record">
          <Icon name="assets" />
          {text('menu.asset')}
        </AssetLink>
      </div>
    </aside>
  );
}
