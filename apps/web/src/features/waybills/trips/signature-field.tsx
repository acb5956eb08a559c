import type { Signature } from '@isotherm/contracts/waybill-trips';
import { SIGNATURE_BOX, type Stroke, signaturePath, withPoint } from '@isotherm/domain/waybills/handover';
import { type PointerEvent, useRef } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

const { width, height } = SIGNATURE_BOX;
const EMPTY: Signature = { kind: 'drawn', strokes: [] };

/** Signature on glass, or a confirmation with the typed name, for those who cannot draw. */
export function SignatureField({ signer, foot }: { signer: string; foot: string }) {
  const { text } = useText();
  const { value = EMPTY, set, fault } = useField<Signature>('signature');
  return (
    <fieldset className="trip-signature" aria-label={text('trips.signature')}>
      <div className="row">
        <span className="strong">{text('trips.signature')}</span>
        {value.kind === 'drawn' && value.strokes.length > 0 ? (
          <Button variant="quiet" className="end" onClick={() => set(EMPTY)}>
            {text('trips.signature.clear')}
          </Button>
        ) : null}
      </div>
      {value.kind === 'drawn' ? (
        <Pad
          strokes={value.strokes}
          isWrong={fault !== undefined}
          foot={foot}
          onChange={(strokes) => set({ kind: 'drawn', strokes: strokes.map((stroke) => [...stroke]) })}
        />
      ) : (
        <p className="trip-typed" role="status">
          {text('trips.signature.name', { name: signer })}
        </p>
      )}
      {fault ? (
        <div className="field-fault" role="alert">
          <Icon name="info" small />
          {text('trips.signature.missing')}
        </div>
      ) : null}
      <Button
        variant="quiet"
        disabled={value.kind === 'drawn' && signer === ''}
        onClick={() => set(value.kind === 'drawn' ? { kind: 'typed' } : EMPTY)}
      >
        {text(value.kind === 'drawn' ? 'trips.signature.type' : 'trips.signature.draw')}
      </Button>
    </fieldset>
  );
}

function Pad({
  strokes,
  isWrong,
  foot,
  onChange,
}: {
  strokes: readonly Stroke[];
  isWrong: boolean;
  foot: string;
  onChange: (strokes: readonly Stroke[]) => void;
}) {
  const { text } = useText();
  /** The strokes with the one that is being drawn; several moves may come before the next render. */
  const drawn = useRef<readonly Stroke[] | null>(null);

  function add(event: PointerEvent<SVGSVGElement>, begins: boolean) {
    const frame = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * width;
    const y = ((event.clientY - frame.top) / frame.height) * height;
    const before = begins ? [...strokes, []] : drawn.current;
    if (!before) return;
    drawn.current = [...before.slice(0, -1), withPoint(before.at(-1) ?? [], x, y)];
    onChange(drawn.current);
  }

  return (
    <div className={isWrong ? 'trip-pad trip-pad-wrong' : 'trip-pad'}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={text('trips.signature.here')}
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          add(event, true);
        }}
        onPointerMove={(event) => add(event, false)}
        onPointerUp={() => {
          drawn.current = null;
        }}
        onPointerCancel={() => {
          drawn.current = null;
        }}
      >
        <path className="trip-line" d={`M24 ${height - 44}H${width - 24}`} />
        <path className="trip-ink" d={signaturePath(strokes)} />
      </svg>
      <span className="small tertiary trip-foot">
        {strokes.length > 0 ? foot : text('trips.signature.here')}
      </span>
    </div>
  );
}

/** A signature as it was drawn. */
export function SignaturePicture({ path }: { path: string }) {
  const { text } = useText();
  return (
    <svg
      className="trip-picture"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={text('trips.signature')}
    >
      <path className="trip-ink" d={path} />
    </svg>
  );
}
