import './wall.css';
import type { AssetCard } from '@isotherm/contracts/assets';
import { needsAttention } from '@isotherm/domain/assets/attention';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { say } from '../../shared/socket/socket.ts';
import { AttentionCard, QuietCard } from './asset-card.tsx';
import { useInSight } from './use-in-sight.ts';

/** Largest number of assets that the API contract accepts. */
const WATCH_AT_MOST = 500;
const WATCH_AFTER_MS = 300;
/** Number of small cards that are added at a time while the user scrolls. */
const GROW_BY = 180;

/** Monitor page with all assets: those that need attention, expired ones, those without limits, and those within limits. */
export function Wall({ cards, alarms }: { cards: readonly AssetCard[]; alarms: ReactNode }) {
  const { text } = useText();
  const onSight = useWatchedAssets();
  const isLinked = usePermission('asset:view');
  // The element of a card depends on the permission, and its visibility is observed from its first rendering.
  const linking = isLinked ? 'linked' : 'plain';
  const attention = cards.filter((card) => needsAttention(card.state));
  return (
    <>
      {attention.length > 0 ? (
        <section aria-labelledby="needs-attention">
          <div className="section-head">
            <h2 id="needs-attention">{text('monitor.needs-attention')}</h2>
            <span className="secondary">{attention.length}</span>
            {alarms}
            <span className="small tertiary">{text('monitor.order')}</span>
            <span className="small tertiary end">{text('monitor.last-24h')}</span>
          </div>
          <div key={linking} className="wall-attention">
            {attention.map((card) => (
              <AttentionCard key={card.id} card={card} isLinked={isLinked} onSight={onSight} />
            ))}
          </div>
        </section>
      ) : null}
      <QuietCards
        key={`expired ${linking}`}
        id="expired"
        cards={cards}
        state="expired"
        isLinked={isLinked}
        onSight={onSight}
      />
      <QuietCards
        key={`no-limits ${linking}`}
        id="no-limits"
        cards={cards}
        state="unset"
        isLinked={isLinked}
        onSight={onSight}
      />
      <QuietCards
        key={`within-limits ${linking}`}
        id="within-limits"
        cards={cards}
        state="normal"
        isLinked={isLinked}
        onSight={onSight}
      />
    </>
  );
}

const QUIET_TITLE = {
  expired: 'monitor.state.expired',
  unset: 'monitor.state.unset',
  normal: 'monitor.state.normal',
} as const;

function QuietCards({
  id,
  cards,
  state,
  isLinked,
  onSight,
}: {
  id: string;
  cards: readonly AssetCard[];
  state: keyof typeof QUIET_TITLE;
  isLinked: boolean;
  onSight: (assetId: number, inSight: boolean) => void;
}) {
  const { text } = useText();
  const [shown, setShown] = useState(GROW_BY);
  const quiet = cards.filter((card) => card.state.kind === state);
  if (quiet.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{text(QUIET_TITLE[state])}</h2>
        <span className="secondary">{quiet.length}</span>
      </div>
      <div className="wall-quiet">
        {quiet.slice(0, shown).map((card) => (
          <QuietCard key={card.id} card={card} isLinked={isLinked} onSight={onSight} />
        ))}
      </div>
      {quiet.length > shown ? (
        <Growth key={shown} onSeen={() => setShown((count) => count + GROW_BY)} />
      ) : null}
    </section>
  );
}

function Growth({ onSeen }: { onSeen: () => void }) {
  const { ref } = useInSight<HTMLDivElement>((inSight) => inSight && onSeen());
  return <div ref={ref} className="wall-growth" />;
}

/** Reports the visible assets to the server, so that it sends updates of their cards (contract `watch`). */
function useWatchedAssets() {
  const inSight = useRef(new Set<number>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // When the monitor page is hidden, its cards still report that they are out of view. They are ignored,
  // because another page may already watch assets.
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
