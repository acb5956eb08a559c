import { readScreenPicture, type Screen, type ScreenInput, screenInput } from '@isotherm/contracts/screens';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useParams } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { callForFile } from '../../shared/api/client.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useCrumbTitle } from '../../shared/tabs/use-crumb-title.ts';
import { useUnsaved } from '../../shared/tabs/use-unsaved.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useFullScreen } from '../../shared/ui/use-full-screen.ts';
import { PictureReader, type ReadPicture } from './camera-tile.tsx';
import { ScreenEditor } from './screen-editor.tsx';
import { ScreenLinks } from './screen-links.tsx';
import { ScreenSettings } from './screen-settings.tsx';
import { ScreenStage } from './screen-stage.tsx';
import { screenQuery, screenViewQuery, useScreenChanges } from './screens.queries.ts';

/** Page of one smart screen: its layout, its settings and its public links. */
export default function ScreenDetailPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(screenQuery(Number(id)));
  useCrumbTitle(data?.name);
  if (data) return <Loaded key={data.id} screen={data} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

type Draft = Pick<ScreenInput, 'organizationId' | 'name' | 'pages' | 'pageSeconds' | 'dim'>;

const draftOf = ({ organizationId, name, pages, pageSeconds, dim }: Screen): Draft => ({
  organizationId,
  name,
  pages,
  pageSeconds,
  dim,
});

function Loaded({ screen }: { screen: Screen }) {
  const { text, time } = useViewer();
  const mayEdit = usePermission('screen:edit');
  const mayShare = usePermission('screen:share');
  const changes = useScreenChanges();
  /** The stored screen on which the draft is based. */
  const [base, setBase] = useState(screen);
  const [draft, setDraft] = useState(() => draftOf(screen));
  const [isBusy, setBusy] = useState(false);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(base));
  const isOutdated = screen.changedAt > base.changedAt;
  function adopt(stored: Screen) {
    setBase(stored);
    setDraft(draftOf(stored));
  }
  // What somebody else has saved is taken over, unless it would discard changes.
  if (isOutdated && !isChanged) adopt(screen);
  useUnsaved(isChanged, () => adopt(screen));
  const isActive = screen.service === 'active' || screen.service === 'trial';
  const { data, error, dataUpdatedAt, errorUpdatedAt, refetch } = useQuery(
    screenViewQuery(screen.id, isActive),
  );
  const readPicture = useCallback<ReadPicture>(
    async (pictureId, signal) =>
      (await callForFile(readScreenPicture, { params: { id: screen.id, pictureId }, signal, quiet: true }))
        .blob,
    [screen.id],
  );
  const whole = useRef<HTMLDivElement>(null);
  const full = useFullScreen(whole);
  const parsed = screenInput.safeParse(draft);
  async function save() {
    if (!parsed.success) return;
    setBusy(true);
    try {
      adopt(await changes.edit(screen.id, parsed.data));
      toast('success', text('screens.saved'));
    } catch (failure) {
      toast('failure', (failure as Error).message);
    } finally {
      setBusy(false);
    }
  }
  async function startTrial() {
    try {
      await changes.startTrial(screen.organizationId, { service: 'smart-screen' });
      toast('success', text('screens.tried'));
    } catch (failure) {
      toast('failure', (failure as Error).message);
    }
  }
  const shown = data && { ...data, ...draft };
  return (
    <div className="page">
      <PageHead title={screen.name} purpose={screen.organizationName}>
        <Button disabled={!shown} aria-pressed={full.isOn} onClick={full.toggle}>
          <Icon name="screen" />
          {text('screens.full-screen')}
        </Button>
        {mayEdit ? (
          <Button
            variant="primary"
            disabled={isBusy || !isChanged || !parsed.success}
            onClick={() => void save()}
          >
            {text('common.action.save')}
          </Button>
        ) : null}
      </PageHead>
      {isOutdated && isChanged ? (
        <p role="status">
          {text('screens.changed-meanwhile', {
            name: screen.changedBy,
            time: time(screen.changedAt, 'day-time'),
          })}{' '}
          <Button size="small" onClick={() => adopt(screen)}>
            {text('screens.take-over')}
          </Button>
        </p>
      ) : null}
      {full.isUnsupported ? <p role="status">{text('screens.full-screen.unsupported')}</p> : null}
      {isActive ? null : (
        <Notice
          icon="screen"
          title={text('screens.inactive')}
          action={
            screen.service === 'not-activated' ? (
              <PermissionButton
                permission="management-premium:trial"
                variant="primary"
                onClick={() => void startTrial()}
              >
                {text('screens.try')}
              </PermissionButton>
            ) : undefined
          }
        >
          {text('screens.inactive.how')}
        </Notice>
      )}
      {error && isActive && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      <PictureReader value={readPicture}>
        <div className="screen-work">
          <ScreenEditor
            pages={draft.pages}
            organizationId={draft.organizationId}
            view={shown ?? null}
            mayEdit={mayEdit}
            onChange={(pages) => setDraft((before) => ({ ...before, pages }))}
          />
          <aside className="screen-side">
            <ScreenSettings
              draft={draft}
              mayEdit={mayEdit}
              onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
            />
            {mayShare ? <ScreenLinks screen={screen} isActive={isActive} /> : null}
          </aside>
        </div>
        <div ref={whole}>
          {shown && full.isOn ? (
            <ScreenStage
              view={shown}
              lostSince={error && errorUpdatedAt > dataUpdatedAt ? Date.parse(shown.serverTime) : null}
            />
          ) : null}
        </div>
      </PictureReader>
    </div>
  );
}
