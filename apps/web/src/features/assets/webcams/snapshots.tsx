import './webcams.css';
import type { WebcamSnapshot } from '@isotherm/contracts/webcams';
import { useQuery } from '@tanstack/react-query';
import Pagination from 'antd/es/pagination';
import { useState } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { pictureQuery, snapshotsQuery } from './webcams.queries.ts';

const SHOWN = 12;

/** Image of a snapshot. It is loaded by a signed request. */
export function SnapshotPicture({ id, alt }: { id: number; alt: string }) {
  const { data } = useQuery(pictureQuery(id));
  const url = useObjectUrl(data);
  return url ? (
    <img className="webcam-snapshot" src={url} alt={alt} />
  ) : (
    <div className="skeleton webcam-snapshot" />
  );
}

/** List of the snapshots of a camera, newest first; a selected one is enlarged. */
export function SnapshotHistory({ webcamId }: { webcamId: number }) {
  const { text } = useViewer();
  const [page, setPage] = useState(1);
  const { data } = useQuery(snapshotsQuery({ webcamId, page, pageSize: SHOWN }));
  if (!data) return <div className="skeleton skeleton-body" />;
  if (data.total === 0) return <p className="secondary">{text('webcams.no-picture')}</p>;
  return (
    <>
      <SnapshotGrid items={data.items} />
      <Pagination
        size="small"
        current={page}
        pageSize={SHOWN}
        total={data.total}
        hideOnSinglePage
        showSizeChanger={false}
        onChange={setPage}
      />
    </>
  );
}

export function SnapshotGrid({
  items,
  named = false,
}: {
  items: readonly WebcamSnapshot[];
  named?: boolean;
}) {
  const { text, time } = useViewer();
  const [large, setLarge] = useState<number | null>(null);
  return (
    <ul className="webcam-snapshots">
      {items.map((item) => {
        const when = time(item.takenAt ?? item.wantedAt, 'date-time-seconds');
        const alt = text('webcams.snapshot.of', { name: item.webcamName, time: when });
        return (
          <li key={item.id} className={large === item.id ? 'webcam-large' : undefined}>
            {item.takenAt ? (
              <button
                type="button"
                aria-expanded={large === item.id}
                aria-label={alt}
                onClick={() => setLarge(large === item.id ? null : item.id)}
              >
                <SnapshotPicture id={item.id} alt={alt} />
              </button>
            ) : (
              <p className="webcam-snapshot webcam-none">
                {text(item.fault ? `errors.webcam.${item.fault}` : 'webcams.snapshot.pending')}
              </p>
            )}
            <span className="small secondary">
              {named ? `${item.webcamName} · ` : ''}
              {when}
              {named ? '' : ` · ${item.takenBy || text(`webcams.snapshot.cause.${item.cause}`)}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
