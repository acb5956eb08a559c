import '../../../shared/ui/secret.css';
import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { CopyButton } from '../../../shared/ui/one-time-secret.tsx';
import { pushKeyQuery } from './policies.queries.ts';

/** Shows the key with which receivers of URL pushes verify the signature. */
export function PushKey({ policy }: { policy: AlarmPolicy }) {
  const { text } = useText();
  const [isShown, setShown] = useState(false);
  const { data, error, refetch } = useQuery({ ...pushKeyQuery(policy.id), enabled: isShown });
  return (
    <section className="panel graded-section">
      <h2>{text('policies.push-key')}</h2>
      <p className="small secondary">{text('policies.push-key.means')}</p>
      {error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <div className="secret">
          <pre>{data.key}</pre>
          <CopyButton value={data.key} />
        </div>
      ) : (
        <Button onClick={() => setShown(true)}>{text('policies.push-key.show')}</Button>
      )}
    </section>
  );
}
