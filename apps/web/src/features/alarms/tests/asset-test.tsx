import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useTestChanges } from './tests.queries.ts';

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
