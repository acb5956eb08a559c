import './wall.css';
import type { AssetCard } from '@isotherm/contracts/assets';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { say } from '../../shared/socket/socket.ts';
import { AttentionCard, QuietCard } from './asset-card.tsx';
import { useInSight } from './use-in-sight.ts';

/** As many as the contract lets a console watch. */
const WATCH_AT_MOST = 500;
const WATCH_AFTER_MS = 300;
/** Quiet cards put on the page at a time: a fleet of thousands grows as it is scrolled. */
const GROW_BY = 180;

/** All assets, split into those that need a person and those that do not (design: idea). */
export function Wall({ cards }: { cards: readonly AssetCard[] }) {
  const { text } = useText();
  const onSight = useWatchedAssets();
  const attention = cards.filter((card) => card.state.kind !== 'normal');
  const quiet = cards.filter((card) => card.state.kind === 'normal');
  const [shown, setShown] = useState(GROW_BY);
  return (
    <>
      {attention.length > 0 ? (
        <section aria-labelledby="needs-a-person">
          <div className="section-head">
            <h2 id="needs-a-person">{text('monitor.needs-a-person')}</h2>
            <span className="secondary">{attention.length}</span>
            <span className="small tertiary">{text('monitor.order')}</span>
            <span className="small tertiary end">{text('monitor.last-24h')}</span>
          </div>
          <div className="wall-attention">
            {attention.map((card) => (
              <AttentionCard key={card.id} card={card} onSight={onSight} />
            ))}
          </div>
        </section>
      ) : null}
      {quiet.length > 0 ? (
        <section aria-labelledby="within-limits">
          <div className="section-head">
            <h2 id="within-limits">{text('monitor.count.normal')}</h2>
            <span className="secondary">{quiet.length}</span>
          </div>
          <div className="wall-quiet">
            {quiet.slice(0, shown).map((card) => (
              <QuietCard key={card.id} card={card} onSight={onSight} />
            ))}
          </div>
          {quiet.length > shown ? (
            <Growth key={shown} onSeen={() => setShown((count) => count + GROW_BY)} />
          ) : null}
        </section>
      ) : null}
    </>
  );
}

function Growth({ onSeen }: { onSeen: () => void }) {
  const { ref } = useInSight<HTMLDivElement>((inSight) => inSight && onSeen());
  return <div ref={ref} className="wall-growth" />;
}

/** Tells the server which assets are on the screen, so that it sends their cards (contract `watch`). */
function useWatchedAssets() {
  const inSight = useRef(new Set<number>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The cards report that they are out of sight after the wall itself is hidden: another page may watch by then.
  const shown = useRef(false);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
      clearTimeout(timer.current);
      say({ type: 'watch', assetIds: [] });
    };
  }, []);
  return useCallback((assetId: number, now: boolean) => {
    if (now) inSight.current.add(assetId);
    else inSight.current.delete(assetId);
    clearTimeout(timer.current);
    if (!shown.current) return;
    timer.current = setTimeout(() => {
      say({ type: 'watch', assetIds: [...inSight.current].slice(0, WATCH_AT_MOST) });
    }, WATCH_AFTER_MS);
  }, []);
}
