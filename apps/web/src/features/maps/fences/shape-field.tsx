import { FENCE_KINDS } from '@isotherm/domain/geo/fence';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { type FenceDraft, placesText, shapeOf, typedPlaces, withKind, withoutPoint } from './fence-draft.ts';

const ROWS = 6;

/** Field for the shape of a geofence: its kind, size and points as text, for those who do not draw on the map. */
export function ShapeField({ draft, onDraft }: { draft: FenceDraft; onDraft: (draft: FenceDraft) => void }) {
  const { text } = useText();
  const { set, fault } = useField('shape');
  const [typed, setTyped] = useState<string | null>(null);
  const isFirst = useRef(true);
  // What is drawn on the map is part of the form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another draft, and nothing else, changes the field.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else set(shapeOf(draft));
  }, [draft]);
  const { kind, places, sizeM, faultyLine } = draft;
  const shown = typed !== null && faultyLine !== null ? typed : (typed ?? placesText(places));
  const type = (next: string) => {
    setTyped(next);
    onDraft({ ...draft, ...typedPlaces(next) });
  };
  const wrongLine = faultyLine === null ? undefined : text('geofences.places.fault', { line: faultyLine });
  return (
    <div className="form-wide fence-shape">
      <fieldset className="segments" aria-label={text('geofences.kind')}>
        {FENCE_KINDS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === kind}
            onClick={() => onDraft(withKind(draft, each))}
          >
            {text(`geofences.kind.${each}`)}
          </button>
        ))}
      </fieldset>
      <p className="form-help">{text(kind === 'circle' ? 'geofences.draw.circle' : 'geofences.draw.path')}</p>
      {kind === 'polygon' ? null : (
        <FieldFrame
          label={text(kind === 'circle' ? 'geofences.radius' : 'geofences.side')}
          required
          fault={undefined}
        >
          {() => (
            <NumberCell
              value={sizeM ?? null}
              label={text(kind === 'circle' ? 'geofences.radius' : 'geofences.side')}
              unit="m"
              placeholder=""
              isWrong={fault !== undefined}
              onChange={(next) => onDraft({ ...draft, sizeM: next ?? undefined })}
            />
          )}
        </FieldFrame>
      )}
      <FieldFrame
        label={text(kind === 'circle' ? 'geofences.centre' : 'geofences.places')}
        help={text(kind === 'circle' ? 'geofences.centre.help' : 'geofences.places.help')}
        required
        fault={wrongLine ?? fault}
      >
        {(control) => (
          <textarea
            {...control}
            className={fault || wrongLine ? 'text-area field-wrong' : 'text-area'}
            rows={kind === 'circle' ? 1 : ROWS}
            spellCheck={false}
            value={shown}
            onChange={(event) => type(event.target.value)}
            onBlur={() => {
              if (faultyLine === null) setTyped(null);
            }}
          />
        )}
      </FieldFrame>
      {kind === 'circle' || places.length === 0 ? null : (
        <Button size="small" onClick={() => onDraft(withoutPoint(draft, places.length - 1))}>
          {text('geofences.undo')}
        </Button>
      )}
    </div>
  );
}
