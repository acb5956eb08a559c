import './webcams.css';
import type { Webcam } from '@isotherm/contracts/webcams';
import { textId } from '@isotherm/i18n/text-id';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { SnapshotHistory } from './snapshots.tsx';
import { WebcamPlayer } from './webcam-player.tsx';
import { useWebcamChanges } from './webcams.queries.ts';

/** Live view of a camera, with the actions to take a snapshot and to test the connection. */
export function WebcamView({ webcam }: { webcam: Webcam }) {
  const { text } = useText();
  const changes = useWebcamChanges();
  const mayEdit = usePermission('asset-webcams:edit');
  const [busy, setBusy] = useState(false);
  const tell = (fault: string | null, done: string) =>
    toast(fault ? 'failure' : 'success', fault ? text(textId(`errors.webcam.${fault}`)) : done);
  /** The API client has already shown the error. */
  async function ask(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    await work().catch(() => undefined);
    setBusy(false);
  }
  return (
    <>
      <WebcamPlayer key={`${webcam.id} ${webcam.changedAt}`} webcam={webcam} />
      <div className="webcam-tools">
        <PermissionButton
          permission="asset-webcams:snapshot"
          disabled={busy}
          onClick={() =>
            void ask(async () => tell((await changes.take(webcam.id)).fault, text('webcams.snapshot.done')))
          }
        >
          <Icon name="eye" />
          {text('webcams.snapshot')}
        </PermissionButton>
        {mayEdit ? (
          <Button
            disabled={busy}
            onClick={() =>
              void ask(async () => tell((await changes.test(webcam.id)).fault, text('webcams.test.works')))
            }
          >
            <Icon name="check" />
            {text('webcams.test')}
          </Button>
        ) : null}
      </div>
      <h3 className="webcam-heading">{text('webcams.snapshots')}</h3>
      <SnapshotHistory key={webcam.id} webcamId={webcam.id} />
    </>
  );
}
