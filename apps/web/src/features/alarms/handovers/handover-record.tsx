import { id as recordId } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { HandoverContent } from './handover-content.tsx';
import { handoverQuery, useHandoverChanges } from './handovers.queries.ts';

/** The id of a handover in the address; null if there is none. */
export function handoverOf(params: URLSearchParams): number | null {
  const found = recordId.safeParse(params.get('handover'));
  return found.success ? found.data : null;
}

/** A signed handover with its signatures, as it was; it can be taken over and printed. */
export function HandoverRecord({ id, onClose }: { id: number; onClose: () => void }) {
  const { text, time } = useViewer();
  const maySign = usePermission('alarm-handover:sign');
  const changes = useHandoverChanges();
  const [takes, setTakes] = useState(false);
  const { data, error, refetch } = useQuery(handoverQuery(id));
  if (!data) return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
  const signature = (name: string, at: string) => `${name} · ${time(at, 'date-time')}`;
  return (
    <>
      <section className="panel handover-section">
        <div className="handover-head">
          <h2>{text('handovers.title', { name: data.organizationName })}</h2>
          <div className="row handover-tools">
            <Button onClick={onClose}>{text('handovers.back')}</Button>
            <Button onClick={() => window.print()}>{text('alarms.page.print')}</Button>
            {maySign && data.incoming === null ? (
              <Button variant="primary" onClick={() => setTakes(true)}>
                <Icon name="check" />
                {text('handovers.take')}
              </Button>
            ) : null}
          </div>
        </div>
        <Definitions
          facts={[
            { label: text('handovers.from'), value: time(data.from, 'date-time') },
            { label: text('handovers.until'), value: time(data.until, 'date-time') },
            { label: text('handovers.outgoing'), value: signature(data.outgoing.name, data.until) },
            {
              label: text('handovers.incoming'),
              value: data.incoming
                ? signature(data.incoming.name, data.incoming.at)
                : text('handovers.not-taken'),
            },
          ]}
        />
        {data.comment ? <p className="handover-comment">{data.comment}</p> : null}
      </section>
      <HandoverContent content={data.content} />
      {takes ? (
        <ConfirmWithReason
          weight="plain"
          title={text('handovers.take.title')}
          confirmLabel={text('handovers.take')}
          onConfirm={async () => {
            await changes.take(id);
            toast('success', text('handovers.take.done'));
          }}
          onClose={() => setTakes(false)}
        >
          <p>{text('handovers.take.means')}</p>
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
