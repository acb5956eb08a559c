import { MOST_PHOTOS } from '@isotherm/contracts/waybill-trips';
import { useMemo, useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { shrinkPhoto } from './shrink-photo.ts';

/** Photos of the goods, from the camera or the album. */
export function PhotoField({
  photos,
  onChange,
}: {
  photos: readonly ArrayBuffer[];
  onChange: (photos: readonly ArrayBuffer[]) => void;
}) {
  const { text } = useText();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');

  async function add(files: readonly File[]) {
    setBusy(true);
    setFailure('');
    let next = photos;
    for (const file of files.slice(0, MOST_PHOTOS - photos.length))
      try {
        next = [...next, await shrinkPhoto(file)];
      } catch {
        setFailure(text('trips.photos.unreadable'));
      }
    onChange(next);
    setBusy(false);
  }

  return (
    <fieldset className="trip-block" aria-label={text('trips.photos')}>
      <div className="row">
        <span className="strong">{text('trips.photos')}</span>
        <span className="small tertiary">
          {text('trips.photos.count', { count: photos.length, most: MOST_PHOTOS })}
        </span>
      </div>
      <div className="trip-photos">
        {photos.map((bytes, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a photo is its place in the row.
          <div key={row} className="trip-photo">
            <Picture bytes={bytes} label={text('trips.photo', { row: row + 1 })} />
            <Button
              icon
              aria-label={text('trips.photos.remove', { row: row + 1 })}
              onClick={() => onChange(photos.filter((_, each) => each !== row))}
            >
              <Icon name="close" />
            </Button>
          </div>
        ))}
        {photos.length < MOST_PHOTOS ? (
          <button
            type="button"
            className="trip-add"
            disabled={busy}
            aria-busy={busy}
            onClick={() => input.current?.click()}
          >
            <Icon name="plus" />
            {text('trips.photos.add')}
          </button>
        ) : null}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/*"
        capture="environment"
        aria-label={text('trips.photos.add')}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          void add(files);
        }}
      />
      {failure ? (
        <div className="field-fault" role="alert">
          <Icon name="info" small />
          {failure}
        </div>
      ) : null}
    </fieldset>
  );
}

function Picture({ bytes, label }: { bytes: ArrayBuffer; label: string }) {
  const blob = useMemo(() => new Blob([bytes], { type: 'image/jpeg' }), [bytes]);
  const url = useObjectUrl(blob);
  return url ? <img src={url} alt={label} /> : null;
}
