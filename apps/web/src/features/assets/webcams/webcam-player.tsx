import './webcams.css';
import type { Webcam } from '@isotherm/contracts/webcams';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FramesPlayer } from './frames-player.tsx';
import { playHls } from './play-hls.ts';
import { playWhep } from './play-whep.ts';
import { VideoPlayer } from './video-player.tsx';
import { askAnew } from './webcams.queries.ts';

type State = { is: 'connecting' | 'paused' | 'playing' } | { is: 'fault'; sentence: string };

/** Live view of a camera, or the reason why there is none. */
export function WebcamPlayer({ webcam }: { webcam: Webcam }) {
  const { text } = useText();
  const frame = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<State>({ is: 'connecting' });
  const onPicture = useCallback(
    () => setState((old) => (old.is === 'playing' ? old : { is: 'playing' })),
    [],
  );
  const onFault = useCallback((sentence: string) => setState({ is: 'fault', sentence }), []);
  const queries = useQueryClient();
  useEffect(() => {
    // The server has stored the new state of the camera before the player reports this state.
    if (state.is === 'playing' || state.is === 'fault') askAnew(queries);
  }, [state.is, queries]);
  const { id, name, play } = webcam;
  const player = { id, onPicture, onFault, label: text('webcams.live-of', { name }) };
  const words = { unplayable: text('webcams.unplayable'), unreachable: text('errors.webcam.unreachable') };
  const fault =
    play === null ? text('errors.webcam.no_gateway') : state.is === 'fault' ? state.sentence : null;
  const runs = fault === null && state.is !== 'paused';
  return (
    <div ref={frame} className="webcam-player" data-state={fault === null ? state.is : 'fault'}>
      {runs && play === 'mjpeg' ? <FramesPlayer {...player} ended={words.unreachable} /> : null}
      {runs && play === 'hls' ? <VideoPlayer {...player} {...words} play={playHls} /> : null}
      {runs && play === 'whep' ? <VideoPlayer {...player} {...words} play={playWhep} /> : null}
      {fault === null && state.is === 'playing' ? null : (
        <p className="webcam-said" role="status">
          {fault ?? text(state.is === 'paused' ? 'webcams.paused' : 'webcams.connecting')}
        </p>
      )}
      <div className="webcam-controls">
        {play === null ? null : fault !== null ? (
          <Button onClick={() => setState({ is: 'connecting' })}>{text('common.action.retry')}</Button>
        ) : (
          <Button onClick={() => setState({ is: state.is === 'paused' ? 'connecting' : 'paused' })}>
            {text(state.is === 'paused' ? 'webcams.play' : 'webcams.pause')}
          </Button>
        )}
        {document.fullscreenEnabled && runs ? (
          <Button onClick={() => void frame.current?.requestFullscreen().catch(() => undefined)}>
            <Icon name="screen" />
            {text('webcams.fullscreen')}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
