import './map.css';
import { type ReactNode, type RefObject, useRef } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import type { MapState } from './use-map.ts';

/** A map with its buttons; a sentence in its place if the browser cannot draw it. */
export function MapFrame({
  frame,
  state: { shown, failure, isReplaced, retry },
  label,
  onFit,
  children,
  legend,
  isPlain = false,
}: {
  frame: RefObject<HTMLDivElement | null>;
  state: MapState;
  label: string;
  /** Moves the map so that everything is in view. */
  onFit: () => void;
  /** What lies over the map: cards and labels. */
  children?: ReactNode;
  legend?: ReactNode;
  /** Without the button for full screen, if the whole page has one. */
  isPlain?: boolean;
}) {
  const { text } = useText();
  const whole = useRef<HTMLElement>(null);
  const fullScreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void whole.current?.requestFullscreen();
  };
  return (
    <section className="map-panel panel" ref={whole} aria-label={label} aria-busy={!shown && !failure}>
      <div className="map-frame">
        {/* The element stays, so that another attempt finds it. */}
        <div className="map-canvas" ref={frame} hidden={failure !== null} />
        {failure ? (
          <Notice
            icon="map"
            title={text(`maps.${failure}`)}
            action={
              failure === 'not-loaded' ? (
                <Button onClick={retry}>{text('common.action.retry')}</Button>
              ) : undefined
            }
          />
        ) : (
          <>
            <div className="map-buttons">
              <button
                type="button"
                className="map-button"
                aria-label={text('maps.zoom-in')}
                onClick={() => shown?.map.zoomIn()}
              >
                <Icon name="plus" />
              </button>
              <button
                type="button"
                className="map-button"
                aria-label={text('maps.zoom-out')}
                onClick={() => shown?.map.zoomOut()}
              >
                <Icon name="minus" />
              </button>
              <button type="button" className="map-button" aria-label={text('maps.fit')} onClick={onFit}>
                <Icon name="fit" />
              </button>
              {document.fullscreenEnabled && !isPlain ? (
                <button
                  type="button"
                  className="map-button"
                  aria-label={text('maps.full-screen')}
                  onClick={fullScreen}
                >
                  <Icon name="screen" />
                </button>
              ) : null}
            </div>
            {isReplaced ? (
              <p className="map-note" role="status">
                {text('maps.replaced')}{' '}
                <Button variant="link" onClick={retry}>
                  {text('common.action.retry')}
                </Button>
              </p>
            ) : null}
            {children}
          </>
        )}
      </div>
      {legend && !failure ? <div className="map-legend">{legend}</div> : null}
    </section>
  );
}
