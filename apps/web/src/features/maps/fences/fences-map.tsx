import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import { type ShownMap, useMap } from '../../../shared/map/use-map.ts';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { marksQuery } from '../maps.queries.ts';
import { draftOf, drawnShape, emptyDraft, type FenceDraft } from './fence-draft.ts';
import { boundsOf } from './fence-features.ts';
import { FenceForm } from './fence-form.tsx';
import { FenceList } from './fence-list.tsx';
import { FenceView } from './fence-view.tsx';
import { fenceQuery, outlinesQuery } from './fences.queries.ts';
import { useFenceDrawing } from './use-fence-drawing.ts';
import { useFencesLayer } from './use-fences-layer.ts';

const FIT_PADDING_PX = 60;
const MAX_FIT_ZOOM = 14;
const NONE: readonly never[] = [];

/** Map and list of the geofences; the form of the open one takes the place of the list. */
export function FencesMap() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const mayEdit = usePermission('map-geofences:edit');
  const { data, error, refetch } = useQuery(outlinesQuery(true));
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const isNew = params.get('new') === '1' && mayEdit;
  const openId = isNew ? null : Number(params.get('fence')) || null;
  const isEditing = openId !== null && params.get('do') === 'edit' && mayEdit;
  const { data: open, error: missing } = useQuery(fenceQuery(openId));
  const fence = open?.id === openId ? open : undefined;
  const search = params.get('q') ?? '';
  const fences = data?.fences ?? NONE;
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return fences.filter(({ name }) => name.toLowerCase().includes(wanted));
  }, [fences, search]);

  const [draft, setDraft] = useState<FenceDraft>(() => emptyDraft('circle'));
  const subject = isNew ? 'new' : isEditing && fence ? fence.id : null;
  const [drafted, setDrafted] = useState<typeof subject>(null);
  // Another subject begins with its own shape.
  if (drafted !== subject) {
    setDrafted(subject);
    setDraft(fence && subject !== 'new' ? draftOf(fence.shape) : emptyDraft('circle'));
  }
  const isDrawing = subject !== null;

  const select = useCallback(
    (id: number | null) => change({ fence: id, new: null, do: null }, 'push'),
    [change],
  );
  const isDrawingNow = useRef(isDrawing);
  isDrawingNow.current = isDrawing;
  const onSelect = useCallback(
    (id: number | null) => {
      // While a shape is drawn, a click adds a point.
      if (!isDrawingNow.current) select(id);
    },
    [select],
  );
  const others = useMemo(
    () => (isEditing ? fences.filter(({ id }) => id !== openId) : fences),
    [fences, isEditing, openId],
  );
  useFencesLayer(shown, others, openId, onSelect);

  const fit = useCallback(
    (only: number | null = null) => {
      const shapes = fences.filter(({ id }) => only === null || id === only).map(({ shape }) => shape);
      const bounds = boundsOf(shapes);
      if (bounds)
        shown?.places.fit(bounds, { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM, animate: false });
    },
    [shown, fences],
  );
  const fitShown = () => {
    const shape = isDrawing ? drawnShape(draft) : null;
    const bounds = shape && boundsOf([shape]);
    if (bounds) shown?.places.fit(bounds, { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM });
    else fit(openId);
  };
  // Without fences, the map begins where the assets are.
  const seesAssets = usePermission('map-monitor:view');
  const { data: marks } = useQuery({
    ...marksQuery(null),
    enabled: seesAssets && data !== undefined && fences.length === 0,
  });
  const extent = marks?.extent ?? null;
  const wasAtAssets = useRef(false);
  useEffect(() => {
    if (!shown || !extent || wasAtAssets.current) return;
    wasAtAssets.current = true;
    const [west, south, east, north] = extent;
    shown.places.fit(
      [
        [west, south],
        [east, north],
      ],
      { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM, animate: false },
    );
  }, [shown, extent]);
  // The open fence is shown when it is opened, all of them at first; later the user decides.
  const fitted = useRef<number | 'all' | null>(null);
  useEffect(() => {
    const wanted = openId ?? (fitted.current === null ? 'all' : fitted.current);
    if (!shown || fences.length === 0 || fitted.current === wanted) return;
    fitted.current = wanted;
    fit(wanted === 'all' ? null : wanted);
  }, [shown, fences, openId, fit]);

  return (
    <div className="maps-columns">
      <MapFrame frame={frame} state={state} label={text('geofences.map')} onFit={fitShown}>
        {isDrawing && shown ? <Drawing shown={shown} draft={draft} onDraft={setDraft} /> : null}
      </MapFrame>
      <section className="panel maps-list fences-side" aria-label={text('menu.map-geofences')}>
        {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {isNew || (isEditing && fence) ? (
          <FenceForm
            key={subject}
            fence={isNew ? undefined : fence}
            draft={draft}
            onDraft={setDraft}
            onClose={(id) => change({ fence: id, new: null, do: null })}
          />
        ) : openId !== null && missing ? (
          <FailureNotice error={missing} retry={() => select(null)} />
        ) : fence ? (
          <FenceView
            fence={fence}
            onEdit={() => change({ do: 'edit' }, 'push')}
            onEvents={() => change({ tab: 'events', geofenceId: fence.id, fence: null }, 'push')}
            onClose={() => select(null)}
          />
        ) : data && fences.length === 0 ? (
          <Notice
            icon="map"
            title={text('geofences.empty')}
            action={
              <PermissionButton
                permission="map-geofences:edit"
                variant="primary"
                onClick={() => change({ new: 1 }, 'push')}
              >
                {text('geofences.create')}
              </PermissionButton>
            }
          >
            {text('geofences.empty-reason')}
          </Notice>
        ) : (
          <FenceList
            fences={found}
            search={search}
            onSearch={(q) => change({ q })}
            onSelect={(id) => select(id)}
          />
        )}
      </section>
    </div>
  );
}

function Drawing({
  shown,
  draft,
  onDraft,
}: {
  shown: ShownMap;
  draft: FenceDraft;
  onDraft: (draft: FenceDraft) => void;
}) {
  useFenceDrawing(shown, draft, onDraft);
  return null;
}
