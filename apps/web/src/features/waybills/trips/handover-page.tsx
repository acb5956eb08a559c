import '../links/shipment.css';
import './trips.css';
import type { Trip } from '@isotherm/contracts/waybill-trips';
import { HANDOVER_KINDS, type HandoverKind } from '@isotherm/domain/waybills/handover';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { HandoverForm } from './handover-form.tsx';
import { sendWaiting, useOnSent, useOutbox } from './handover-outbox.ts';
import { HandoverResult } from './handover-result.tsx';
import { HandoverState } from './handover-state.tsx';
import { TripCheck } from './trip-check.tsx';
import { tripQuery } from './trips.queries.ts';

/** Hand-over of a waybill on a phone, which the QR code of the printed waybill opens: check, sign, send. */
export function HandoverPage({ id, person }: { id: number; person: string }) {
  const [params, change] = useUrlState();
  const go = useGo();
  const onSent = useOnSent();
  const { data, error, refetch } = useQuery(tripQuery(id));
  const entries = useOutbox((outbox) => outbox.entries);
  const done = entries.find(({ key }) => key === params.get('done'));
  const kind = oneOf(HANDOVER_KINDS, params.get('sign'));
  useCrumbTitle(data?.trip.number);
  // The form stays as it was opened: newer data would change what is signed.
  const [signing, setSigning] = useState<{ trip: Trip; kind: HandoverKind } | null>(null);
  if (kind === null && signing) setSigning(null);
  if (kind !== null && signing?.kind !== kind && data?.trip.kinds.includes(kind))
    setSigning({ trip: data.trip, kind });
  const isPast = kind !== null && data !== undefined && signing?.kind !== kind;
  useEffect(() => {
    // A step that is not possible any more.
    if (isPast) change({ sign: null });
  }, [isPast, change]);
  if (done) return <HandoverResult entry={done} onBack={() => change({ done: null })} />;
  if (!data) return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
  if (kind !== null && signing?.kind === kind)
    return (
      <HandoverForm
        key={kind}
        trip={signing.trip}
        kind={kind}
        person={person}
        onBack={() => change({ sign: null })}
        onSaved={(key) => {
          change({ sign: null, done: key });
          void sendWaiting(onSent);
        }}
      />
    );
  const waiting = entries.filter(({ waybillId, state }) => waybillId === id && state !== 'sent');
  const { trip } = data;
  return (
    <TripCheck
      // What was confirmed and waits is not confirmed again.
      read={{ ...data, trip: waiting.length > 0 ? { ...trip, kinds: [] } : trip }}
      note={waiting.map((entry) => <HandoverState key={entry.key} entry={entry} />)}
      onBack={() => go('/waybill/trips')}
      onKind={(next) => change({ sign: next }, 'push')}
    />
  );
}
