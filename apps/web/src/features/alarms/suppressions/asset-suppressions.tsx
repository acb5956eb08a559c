import './suppressions.css';
import type { Suppression } from '@isotherm/contracts/suppressions';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import type { ChartBand } from '../../../shared/chart/curve-model.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { EndDialog } from './suppression-forms.tsx';
import { endOf, shortTime } from './suppression-words.ts';
import { assetSuppressionsQuery } from './suppressions.queries.ts';

/** How far ahead a planned window is announced on the page of an asset. */
const ANNOUNCED_MS = 86_400_000;

function useSuppressions(assetId: number): readonly Suppression[] {
  const sees = usePermission('alarm-suppressions:view');
  const { data } = useQuery({ ...assetSuppressionsQuery(assetId), enabled: sees });
  return data?.items ?? NONE;
}
const NONE: readonly Suppression[] = [];

/** Bands of the chart of an asset: hatched, with type and reason. Cancelled windows have none. */
export function useSuppressionBands(assetId: number): readonly ChartBand[] {
  const { text } = useViewer();
  const windows = useSuppressions(assetId);
  return useMemo(
    () =>
      windows
        .map((window) => ({
          from: Date.parse(window.from),
          to: Date.parse(endOf(window)),
          label: `${text(`suppressions.kind.${window.kind}`)} · ${window.reason}`,
          isHatched: true,
        }))
        .filter(({ from, to }) => from < to),
    [windows, text],
  );
}

/** Banners of the windows that hold back notifications of an asset now or within a day. */
export function SuppressionBanners({ assetId }: { assetId: number }) {
  const windows = useSuppressions(assetId);
  const [ending, setEnding] = useState<Suppression | null>(null);
  const now = serverNow();
  const shown = [
    ...windows.filter(({ state }) => state === 'active'),
    ...windows.filter(({ state, from }) => state === 'planned' && Date.parse(from) < now + ANNOUNCED_MS),
  ];
  return (
    <>
      {shown.map((window) => (
        <Banner key={window.id} window={window} onEnd={() => setEnding(window)} />
      ))}
      {ending ? <EndDialog window={ending} onClose={() => setEnding(null)} /> : null}
    </>
  );
}

function Banner({ window, onEnd }: { window: Suppression; onEnd: () => void }) {
  const viewer = useViewer();
  const { text } = viewer;
  const { state, from, until, kind, reason, owner, highestLevel } = window;
  const isPlanned = state === 'planned';
  return (
    <section className={isPlanned ? 'suppression-banner suppression-banner-planned' : 'suppression-banner'}>
      <div className="suppression-banner-words">
        <Icon name="muted" />
        <div>
          <div className="strong">
            {isPlanned
              ? text('suppressions.banner.planned', {
                  from: shortTime(from, viewer),
                  until: shortTime(until, viewer),
                })
              : text('suppressions.banner.title', { time: shortTime(until, viewer) })}
          </div>
          <div className="small secondary">
            {[text(`suppressions.kind.${kind}`), reason, owner].join(' · ')}
          </div>
          <div className="small tertiary">
            {highestLevel === 5
              ? text('suppressions.banner.held-all')
              : text('suppressions.banner.held', { level: highestLevel })}
          </div>
        </div>
        {window.isEditable ? (
          <PermissionButton permission="alarm-suppressions:edit" onClick={onEnd}>
            {text(isPlanned ? 'suppressions.cancel' : 'suppressions.end')}
          </PermissionButton>
        ) : null}
      </div>
    </section>
  );
}
