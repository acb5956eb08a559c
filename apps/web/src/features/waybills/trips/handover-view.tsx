import './trips.css';
import { readWaybillPhoto } from '@isotherm/contracts/waybill-trips';
import type { Handover } from '@isotherm/contracts/waybills';
import { findingWords } from '@isotherm/i18n/finding-words';
import { useQuery } from '@tanstack/react-query';
import { callForFile } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { openBlob } from '../../../shared/ui/save-file.ts';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { SignaturePicture } from './signature-field.tsx';

/** A hand-over in the chain of custody: both persons, findings, signature and photos. */
export function HandoverView({ waybillId, handover }: { waybillId: number; handover: Handover }) {
  const { text, language } = useText();
  return (
    <div className="trip-block">
      <span className="secondary">{`${handover.givenBy} → ${handover.takenBy}`}</span>
      {findingWords(handover, text, language).map((words) => (
        <span key={words} className="strong">
          {words}
        </span>
      ))}
      {handover.signature === '' ? null : <SignaturePicture path={handover.signature} />}
      {handover.photos.length > 0 ? (
        <div className="trip-photos">
          {handover.photos.map((photo, row) => (
            <Photo
              key={photo}
              waybillId={waybillId}
              photo={photo}
              label={text('trips.photo', { row: row + 1 })}
            />
          ))}
        </div>
      ) : null}
    </div>
  );
}

function Photo({ waybillId, photo, label }: { waybillId: number; photo: number; label: string }) {
  const { data } = useQuery({
    queryKey: ['waybills', 'photo', waybillId, photo],
    queryFn: async ({ signal }) =>
      (await callForFile(readWaybillPhoto, { params: { id: waybillId, photo }, signal, quiet: true })).blob,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(data);
  return (
    <button
      type="button"
      className="trip-photo"
      aria-label={label}
      disabled={!data}
      onClick={() => data && openBlob(data)}
    >
      {url ? <img src={url} alt="" /> : null}
    </button>
  );
}
