import { SCREEN_EVERY_MS, type ScreenView, viewScreen, viewScreenPicture } from '@isotherm/contracts/screens';
import { useCallback, useRef } from 'react';
import { call, callForFile } from '../../shared/api/client.ts';
import { type LinkedReading, useLinkedView } from '../../shared/api/use-linked-view.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Notice } from '../../shared/ui/notice.tsx';
import { chooseTheme, useTheme } from '../../shared/ui/theme.ts';
import { useFullScreen } from '../../shared/ui/use-full-screen.ts';
import { PictureReader, type ReadPicture } from './camera-tile.tsx';
import { ScreenStage } from './screen-stage.tsx';
import { ConnectionLost } from './tiles.tsx';

const READING: LinkedReading<ScreenView> = {
  read: (token, signal) => call(viewScreen, { body: { token }, quiet: true, signal }),
  everyMs: SCREEN_EVERY_MS,
  refusals: ['link.not_found', 'screen.inactive'],
};

/** The smart screen of a public link, without login, for displays that nobody operates. */
export function ScreenLinkPage({ token }: { token: string }) {
  const { text } = useViewer();
  const { view, lostSince, refused } = useLinkedView(token, READING);
  const readPicture = useCallback<ReadPicture>(
    async (pictureId, signal) =>
      (await callForFile(viewScreenPicture, { body: { token, pictureId }, signal, quiet: true })).blob,
    [token],
  );
  const whole = useRef<HTMLElement>(null);
  const full = useFullScreen(whole);
  const theme = useTheme();
  const isInactive = refused === 'screen.inactive';
  if (refused)
    return (
      <main className="screen-stage">
        <Notice icon="screen" title={text(isInactive ? 'screens.inactive' : 'screens.link-invalid')}>
          {text(isInactive ? 'screens.inactive.help' : 'screens.link-invalid.help')}
        </Notice>
      </main>
    );
  if (!view)
    return (
      <main className="screen-stage" aria-busy={lostSince === null}>
        {lostSince === null ? (
          <div className="skeleton skeleton-body" />
        ) : (
          <ConnectionLost since={lostSince} />
        )}
      </main>
    );
  return (
    <main>
      <PictureReader value={readPicture}>
        <ScreenStage
          view={view}
          lostSince={lostSince}
          ref={whole}
          actions={
            <span className="screen-actions">
              <Button
                icon
                variant="quiet"
                aria-label={text('screens.theme')}
                onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
              >
                <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
              </Button>
              <Button
                icon
                variant="quiet"
                aria-label={text('screens.full-screen')}
                aria-pressed={full.isOn}
                onClick={full.toggle}
              >
                <Icon name="screen" />
              </Button>
              {full.isUnsupported ? (
                <span role="status">{text('screens.full-screen.unsupported')}</span>
              ) : null}
            </span>
          }
        />
      </PictureReader>
    </main>
  );
}
