import './webcams.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button, buttonClass } from '../../../shared/ui/button.tsx';
import { AccessNotice, FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { WebcamView } from './webcam-view.tsx';
import { webcamsOfAssetQuery } from './webcams.queries.ts';

/** The cameras of an asset; one is shown at a time. */
export function AssetCamera({ assetId }: { assetId: number }) {
  const { text } = useText();
  const access = usePagePermission('asset-webcams:view');
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery({
    ...webcamsOfAssetQuery(assetId),
    enabled: access.state === 'held',
  });
  if (access.state === 'denied' || access.state === 'failed')
    return (
      <section className="panel">
        <AccessNotice access={access} />
      </section>
    );
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  const asked = params.get('webcam');
  const shown = asked === null ? data.items[0] : data.items.find(({ id }) => String(id) === asked);
  return (
    <section className="panel webcam-panel">
      {data.items.length > 1 ? (
        <div className="webcam-choice">
          {data.items.map(({ id, name }) => (
            <Button key={id} aria-pressed={id === shown?.id} onClick={() => change({ webcam: id })}>
              {name}
            </Button>
          ))}
        </div>
      ) : null}
      {shown ? (
        <WebcamView webcam={shown} />
      ) : (
        <Notice
          icon="eye-off"
          title={text('errors.webcam.missing')}
          action={
            <Link className={buttonClass()} to="/asset/webcams">
              {text('menu.asset-webcams')}
            </Link>
          }
        >
          {data.total === 0 ? text('webcams.none.reason') : null}
        </Notice>
      )}
    </section>
  );
}
