import '../waybills/waybills.css';
import {
  createWaybillLink,
  DEFAULT_LINK_DAYS,
  LINK_DAYS,
  listWaybillLinks,
  revokeWaybillLink,
  type WaybillLink,
} from '@isotherm/contracts/waybill-links';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { WAYBILLS_KEY } from '../waybills/waybills.queries.ts';

const keyOf = (id: number) => [...WAYBILLS_KEY, 'links', id] as const;

/** Public links of a waybill for its consignee: creates, lists and revokes them. For those who may edit waybills. */
export function WaybillLinks({ waybill }: { waybill: WaybillDetail }) {
  const { state } = usePagePermission('waybill-list:edit');
  return state === 'held' ? <Links id={waybill.id} /> : null;
}

function Links({ id }: { id: number }) {
  const { text } = useViewer();
  const client = useQueryClient();
  const [days, setDays] = useState<(typeof LINK_DAYS)[number]>(DEFAULT_LINK_DAYS);
  const [isBusy, setBusy] = useState(false);
  const [address, setAddress] = useState<string | null>(null);
  const { data = [] } = useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call(listWaybillLinks, { params: { id }, signal, quiet: true }),
  });

  /** Failures are shown as a toast. */
  async function change(work: () => Promise<WaybillLink[]>) {
    setBusy(true);
    try {
      client.setQueryData(keyOf(id), await work());
    } catch {
      await client.invalidateQueries({ queryKey: keyOf(id) });
    }
    setBusy(false);
  }
  const create = () =>
    change(async () => {
      const { token, links } = await call(createWaybillLink, { params: { id }, body: { days } });
      setAddress(`${location.origin}/link/shipment/${token}`);
      return links;
    });
  const revoke = (linkId: number) =>
    change(async () => {
      const links = await call(revokeWaybillLink, { params: { id, linkId } });
      toast('success', text('waybills.link.revoked'));
      return links;
    });

  return (
    <section className="panel waybill-section" aria-label={text('waybills.links')}>
      <h2>{text('waybills.links')}</h2>
      <p className="small secondary">{text('waybills.link.help')}</p>
      {data.length === 0 ? <p className="secondary">{text('waybills.link.none')}</p> : null}
      <ul className="waybill-links">
        {data.map((link) => (
          <Link key={link.id} link={link} isBusy={isBusy} revoke={() => void revoke(link.id)} />
        ))}
      </ul>
      <div className="row waybill-link-create">
        <label className="row">
          <span className="secondary">{text('waybills.link.valid-for')}</span>
          <span className="field">
            <select
              value={days}
              onChange={({ target }) => setDays(Number(target.value) as (typeof LINK_DAYS)[number])}
            >
              {LINK_DAYS.map((each) => (
                <option key={each} value={each}>
                  {text('waybills.link.days', { days: each })}
                </option>
              ))}
            </select>
          </span>
        </label>
        <Button disabled={isBusy} onClick={() => void create()}>
          {text('waybills.link.create')}
        </Button>
      </div>
      {address ? (
        <OneTimeSecret title={text('waybills.link.made')} secret={address} onClose={() => setAddress(null)}>
          {text('waybills.link.made.means')}
        </OneTimeSecret>
      ) : null}
    </section>
  );
}

function Link({ link, isBusy, revoke }: { link: WaybillLink; isBusy: boolean; revoke: () => void }) {
  const { text, time } = useViewer();
  const created = time(link.createdAt, 'day-time');
  const facts = [
    text('waybills.link.until', { time: time(link.expiresAt, 'day-time') }),
    link.lastOpenedAt === null
      ? text('waybills.link.never-opened')
      : text('waybills.link.opened', { time: time(link.lastOpenedAt, 'day-time') }),
  ];
  return (
    <li>
      <div>
        <div>{text('waybills.link.of', { time: created })}</div>
        <div className="small secondary">{facts.join(' · ')}</div>
      </div>
      <Button
        size="small"
        aria-label={text('waybills.link.revoke.of', { time: created })}
        disabled={isBusy}
        onClick={revoke}
      >
        {text('waybills.link.revoke')}
      </Button>
    </li>
  );
}
