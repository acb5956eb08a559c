import { getPuzzle } from '@isotherm/contracts/identity';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

type PuzzlePicture = ResponseOf<typeof getPuzzle>;

export interface PuzzleAnswer {
  puzzleId: string;
  /** Left edge of the puzzle piece in image pixels. */
  puzzleX: number;
}

/** An arrow key moves the piece by two image pixels, with Shift by ten. */
const KEY_STEP = 2;
const KEY_LEAP = 12;
const HANDLE_PX = 44;

/** The slider puzzle (decision 17), moved by pointer or arrow keys. Only the server knows the solution. */
export function Puzzle({
  round,
  onAnswer,
}: {
  /** A new number requests a new puzzle image. */
  round: number;
  onAnswer: (answer: PuzzleAnswer | null) => void;
}) {
  const { text } = useText();
  const [picture, setPicture] = useState<PuzzlePicture | null>(null);
  const [failure, setFailure] = useState('');
  const [x, setX] = useState(0);
  const track = useRef<HTMLDivElement>(null);
  const grip = useRef<{ pointerX: number; startX: number } | null>(null);

  const load = useCallback(async () => {
    setPicture(null);
    setFailure('');
    setX(0);
    onAnswer(null);
    try {
      setPicture(await call(getPuzzle, { quiet: true }));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : text('common.failure.unknown'));
    }
  }, [onAnswer, text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round, and nothing else, asks for a new picture.
  useEffect(() => {
    void load();
  }, [round]);

  if (!picture) {
    return (
      <div className="puzzle">
        <div className="row small puzzle-head">
          <span className="secondary">{failure || text('login.puzzle.loading')}</span>
          <RefreshButton onClick={load} />
        </div>
        <div className="puzzle-picture skeleton" />
      </div>
    );
  }

  const range = picture.width - picture.pieceSize;
  const move = (wish: number) => {
    const next = Math.round(Math.min(range, Math.max(0, wish)));
    setX(next);
    onAnswer({ puzzleId: picture.puzzleId, puzzleX: next });
  };
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { pointerX: event.clientX, startX: x };
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!grip.current || !track.current) return;
    const travel = track.current.clientWidth - HANDLE_PX;
    move(grip.current.startX + ((event.clientX - grip.current.pointerX) / travel) * range);
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.shiftKey ? KEY_LEAP : KEY_STEP;
    const steps: Record<string, number> = { ArrowLeft: -step, ArrowRight: step, Home: -range, End: range };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(x + by);
  };
  const share = range === 0 ? 0 : x / range;
  const left = `calc((100% - ${HANDLE_PX}px) * ${share})`;
  return (
    <div className="puzzle">
      <div className="row small puzzle-head">
        <span className="secondary">{text('login.puzzle.prompt')}</span>
        <RefreshButton onClick={load} />
      </div>
      <div
        className="puzzle-picture"
        style={{ aspectRatio: `${picture.width} / ${picture.height}`, height: 'auto' }}
      >
        <img src={picture.image} alt={text('login.puzzle.picture')} draggable={false} />
        <img
          className="puzzle-piece"
          src={picture.piece}
          alt=""
          draggable={false}
          style={{
            left: `${(x / picture.width) * 100}%`,
            top: `${(picture.pieceTop / picture.height) * 100}%`,
            width: `${(picture.pieceSize / picture.width) * 100}%`,
          }}
        />
      </div>
      <div className="puzzle-track" ref={track}>
        <div className="puzzle-travelled" style={{ width: `calc(${left} + ${HANDLE_PX / 2}px)` }} />
        {share < 0.4 ? <span className="puzzle-hint small">{text('login.puzzle.keys')}</span> : null}
        <div
          className="puzzle-handle"
          role="slider"
          tabIndex={0}
          aria-label={text('login.puzzle.prompt')}
          aria-valuemin={0}
          aria-valuemax={range}
          aria-valuenow={x}
          style={{ left }}
          onPointerDown={grab}
          onPointerMove={drag}
          onPointerUp={() => {
            grip.current = null;
          }}
          onKeyDown={press}
        >
          <Icon name="right" />
        </div>
      </div>
    </div>
  );
}

function RefreshButton({ onClick }: { onClick: () => void }) {
  const { text } = useText();
  return (
    <Button
      variant="quiet"
      size="small"
      icon
      className="end"
      aria-label={text('login.puzzle.refresh')}
      onClick={onClick}
    >
      <Icon name="repeat" />
    </Button>
  );
}
