import type { AssetState } from '@isotherm/contracts/assets';
import type { MapMark } from '@isotherm/contracts/maps';
import { useLayoutEffect, useRef } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { StateGlyph } from '../../shared/assets/asset-glyph.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import type { ShownMap } from '../../shared/map/use-map.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { valueText, whereText } from './mark-words.ts';

/** Distance of the card from its mark. */
const BESIDE_PX = 26;

/** The selected asset, beside its mark. It follows the map while that is moved. */
export function MarkCard({
  mark,
  shown,
  now,
  stateText,
  isFollowed,
  onFollow,
  onClose,
}: {
  mark: MapMark;
  shown: ShownMap;
  now: number;
  stateText: (state: AssetState) => string;
  isFollowed: boolean;
  onFollow: () => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const card = useRef<HTMLDivElement>(null);
  const seesAsset = usePermission('asset:view');
  const seesReplay = usePermission('map-replay:view');
  const { latitude, longitude } = mark.at;
  useLayoutEffect(() => {
    const { map, places } = shown;
    const place = () => {
      const element = card.current;
      if (!element) return;
      const { x, y } = places.pixelOf({ latitude, longitude });
      const { width, height } = map.getCanvas().getBoundingClientRect();
      const isLeft = x + BESIDE_PX + element.offsetWidth > width;
      const left = isLeft ? x - BESIDE_PX - element.offsetWidth : x + BESIDE_PX;
      const top = Math.min(y - element.offsetHeight / 2, height - element.offsetHeight - 8);
      element.style.transform = `translate(${Math.round(Math.max(8, left))}px, ${Math.round(Math.max(8, top))}px)`;
    };
    place();
    map.on('move', place);
    map.on('resize', place);
    return () => {
      map.off('move', place);
      map.off('resize', place);
    };
  }, [shown, latitude, longitude]);
  return (
    <div className="maps-card" ref={card}>
      <div className="maps-card-head">
        <StateGlyph state={mark.state} size={18} />
        <span className="strong ellipsis">{stateText(mark.state)}</span>
        <Button variant="quiet" size="small" icon aria-label={text('common.action.close')} onClick={onClose}>
          <Icon name="close" small />
        </Button>
      </div>
      <div className="maps-card-body">
        <span className="maps-row-name">
          <span className="strong">{mark.name}</span>
          <span className="small secondary">{whereText(mark, now, text)}</span>
          <span className="small tertiary">{mark.organizationName}</span>
        </span>
        <span className="maps-card-value number">{valueText(mark)}</span>
      </div>
      <div className="maps-card-actions">
        {seesAsset ? <Link to={`/asset/${mark.id}`}>{text('maps.open')}</Link> : null}
        {seesReplay ? <Link to={`/map/replay?assets=${mark.id}`}>{text('maps.replay')}</Link> : null}
        {mark.at.measuredAt ? (
          <Button variant="link" onClick={onFollow}>
            {text(isFollowed ? 'maps.unfollow' : 'maps.follow-asset')}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
