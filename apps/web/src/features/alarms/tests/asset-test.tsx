import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { assetTestsQuery, useTestChanges } from './tests.queries.ts';

/** Button that tests the policies that apply to an asset, after a confirmation, and then shows the test. */
export function AssetTestButton({
  asset,
  variant = 'secondary',
}: {
  asset: { id: number; name: string };
  variant?: 'secondary' | 'link';
}) {
  const { text } = useText();
  const go = useGo();
  const changes = useTestChanges();
  const [asks, setAsks] = useState(false);
  return (
    <>
      <PermissionButton permission="alarm-tests:run" variant={variant} onClick={() => setAsks(true)}>
        {text('alarm-tests.asset.button')}
      </PermissionButton>
      {asks ? (
        <ConfirmWithReason
          weight="plain"
          title={text('alarm-tests.asset.title', { name: asset.name })}
          confirmLabel={text('alarm-tests.asset.button')}
          onConfirm={async () => {
            const tests = await changes.runForAsset(asset.id);
            toast('success', text('alarm-tests.asset.done', { count: tests.length }));
            const [first] = tests;
            go(tests.length === 1 && first ? `/alarm/tests?test=${first.id}` : '/alarm/tests');
          }}
          onClose={() => setAsks(false)}
        >
          <p>{text('alarm-tests.asset.means')}</p>
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

/** The alarm test as a step of the first connection of a device: done once a test of its asset was sent. */
export function AssetTestStep({
  asset,
  step,
}: {
  asset: { id: number; name: string } | null;
  step: (isDone: boolean, content: ReactNode) => ReactNode;
}) {
  const { text, time } = useViewer();
  const sees = usePermission('alarm-tests:view');
  const { data } = useQuery({ ...assetTestsQuery(asset?.id ?? 0), enabled: sees && asset !== null });
  if (!sees) return null;
  if (asset === null) return step(false, text('alarm-tests.step.unbound'));
  const last = data?.items[0];
  return step(
    last !== undefined,
    <>
      {last ? (
        <Link to={`/alarm/tests?test=${last.id}`}>
          {text('alarm-tests.step.done', { time: time(last.startedAt, 'date-time') })}
        </Link>
      ) : (
        text('alarm-tests.step.none')
      )}{' '}
      <AssetTestButton asset={asset} variant="link" />
    </>,
  );
}
