import './open-links.css';
import { listAlarmLinks, type OpenAlarmLink, revokeAlarmLink } from '@isotherm/contracts/acknowledge-links';
import type { Alarm } from '@isotherm/contracts/alarms';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { ALARMS_KEY } from '../alarms.queries.ts';

const keyOf = (id: number) => [...ALARMS_KEY, 'one', id, 'links'] as const;

/** Acknowledge links of an alarm that can still be used, for people who may acknowledge it. Each can be revoked. */
export function OpenLinks({ alarm }: { alarm: Alarm }) {
  const { text } = useViewer();
  const { data = [] } = useQuery({
    queryKey: keyOf(alarm.id),
    queryFn: ({ signal }) => call(listAlarmLinks, { params: { id: alarm.id }, signal, quiet: true }),
    enabled: alarm.acknowledgement === null,
  });
  if (data.length === 0 || alarm.acknowledgement !== null) return null;
  return (
    <section className="panel alarm-panel alarm-panel-body" aria-label={text('links.list')}>
      <header className="alarm-panel-head">
        <h2>{text('links.list')}</h2>
      </header>
      <p className="small secondary">{text('links.list.help')}</p>
      <ul className="alarm-links">
        {data.map((link) => (
          <OpenLink key={link.id} alarmId={alarm.id} link={link} />
        ))}
      </ul>
    </section>
  );
}

function OpenLink({ alarmId, link }: { alarmId: number; link: OpenAlarmLink }) {
  const { text, time } = useViewer();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const name = link.recipient || text('alarms.message.gone');
  async function revoke() {
    setBusy(true);
    try {
      const left = await call(revokeAlarmLink, { params: { id: alarmId, linkId: link.id }, quiet: true });
      client.setQueryData(keyOf(alarmId), left);
      toast('success', text('links.revoked'));
    } catch (error) {
      toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
      await client.invalidateQueries({ queryKey: keyOf(alarmId) });
    } finally {
      setBusy(false);
    }
  }
  const facts = [
    link.sentBy ? text(`alarms.message.${link.sentBy}`) : '',
    time(link.createdAt, 'day-time'),
    text('links.list.until', { time: time(link.expiresAt, 'day-time') }),
    link.isLocked ? text('links.list.locked') : '',
  ];
  return (
    <li>
      <div>
        <span className="strong">{name}</span>{' '}
        <span className="small secondary">{facts.filter(Boolean).join(' · ')}</span>
      </div>
      <Button
        size="small"
        aria-label={text('links.revoke.of', { name })}
        disabled={isBusy}
        onClick={() => void revoke()}
      >
        {text('links.revoke')}
      </Button>
    </li>
  );
}
