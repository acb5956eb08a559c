import { SCREEN_EVERY_MS, type ScreenView, viewScreen } from '@isotherm/contracts/screens';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../shared/api/api-error.ts';
import { call } from '../../shared/api/client.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Notice } from '../../shared/ui/notice.tsx';
import { chooseTheme, useTheme } from '../../shared/ui/theme.ts';
import { useFullScreen } from '../../shared/ui/use-full-screen.ts';
import { ScreenStage } from './screen-stage.tsx';
import { DataAge } from './tiles.tsx';

/** After a failure the server is asked again soon, for as long as the screen runs (decision 16). */
const RETRY_MS = 5_000;
/** A link that does not work, or is read too often, is tried rarely. */
const REFUSED_MS = 60_000;

interface State {
  view: ScreenView | null;
  readAt: number;
  /** Since when the server cannot be reached; null: it can. */
  lostSince: number | null;
  refused: 'link' | 'service' | null;
}

const STARTING: State = { view: null, readAt: 0, lostSince: null, refused: null };

/** What is known after a failure, and when to try again. */
export function afterFailure(state: State, error: unknown, now: number): [State, number] {
  const code = error instanceof ApiError ? error.code : null;
  // What was revoked or has expired shows nothing any more.
  if (code === 'link.not_found') return [{ ...STARTING, refused: 'link' }, REFUSED_MS];
  if (code === 'screen.inactive') return [{ ...STARTING, refused: 'service' }, REFUSED_MS];
  return [
    { ...state, lostSince: state.lostSince ?? now },
    code === 'request.too_many' ? REFUSED_MS : RETRY_MS,
  ];
}

/** The smart screen of a public link, without login, for displays that nobody operates. */
export function ScreenLinkPage({ token }: { token: string }) {
  const { text } = useViewer();
  const [state, setState] = useState<State>(STARTING);
  const whole = useRef<HTMLElement>(null);
  const full = useFullScreen(whole);
  const theme = useTheme();
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known = STARTING;
    const show = (next: State) => {
      known = next;
      setState(next);
    };
    const read = async () => {
      let wait: number = SCREEN_EVERY_MS;
      try {
        const view = await call(viewScreen, { body: { token }, quiet: true, signal: stopping.signal });
        if (stopping.signal.aborted) return;
        show({ view, readAt: Date.now(), lostSince: null, refused: null });
      } catch (error) {
        if (stopping.signal.aborted) return;
        const [next, later] = afterFailure(known, error, Date.now());
        show(next);
        wait = later;
      }
      timer = setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [token]);
  const { view, readAt, lostSince, refused } = state;
  if (refused || token === '')
    return (
      <main className="screen-stage">
        <Notice
          icon="screen"
          title={text(refused === 'service' ? 'screens.inactive' : 'screens.link-invalid')}
        >
          {text(refused === 'service' ? 'screens.inactive.help' : 'screens.link-invalid.help')}
        </Notice>
      </main>
    );
  if (!view)
    return (
      <main className="screen-stage" aria-busy={lostSince === null}>
        {lostSince === null ? (
          <div className="skeleton skeleton-body" />
        ) : (
          <DataAge readAt={readAt} lostSince={lostSince} />
        )}
      </main>
    );
  return (
    <ScreenStage
      view={view}
      status={<DataAge readAt={readAt} lostSince={lostSince} />}
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
          {full.isUnsupported ? <span role="status">{text('screens.full-screen.unsupported')}</span> : null}
        </span>
      }
    />
  );
}
