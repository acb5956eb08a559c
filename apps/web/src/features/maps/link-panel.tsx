import './maps.css';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { toast } from '../../shared/ui/toast.tsx';

interface PublicLink {
  id: number;
  name: string;
  expiresAt: string;
  lastOpenedAt: string | null;
}

/** Public links of a page, each with the button that revokes it. */
export function LinkPanel<Link extends PublicLink>({
  title,
  help,
  action,
  links,
  queryKey,
  factsOf,
  revoke,
  children,
}: {
  title: string;
  help: string;
  /** Button beside the title. */
  action?: ReactNode;
  links: readonly Link[];
  /** Where the links are cached. */
  queryKey: QueryKey;
  /** What a link shows, before its times. */
  factsOf(link: Link): string[];
  /** Revokes a link and returns those that are left. */
  revoke(id: number): Promise<Link[]>;
  children?: ReactNode;
}) {
  const { text, time } = useViewer();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);

  async function remove(id: number) {
    setBusy(true);
    try {
      client.setQueryData(queryKey, await revoke(id));
      toast('success', text('maps.cars.revoked'));
    } catch {
      // The failure is shown as a toast; somebody else may have revoked it.
      await client.invalidateQueries({ queryKey });
    }
    setBusy(false);
  }
  return (
    <section className="panel maps-links" aria-label={title}>
      <div className="maps-links-head">
        <h2>{title}</h2>
        {action}
      </div>
      <p className="small secondary">{help}</p>
      {links.length === 0 ? <p className="secondary">{text('maps.cars.links.none')}</p> : null}
      <ul className="maps-link-list">
        {links.map((link) => (
          <li key={link.id}>
            <div>
              <div className="strong">{link.name}</div>
              <div className="small secondary">
                {[
                  ...factsOf(link),
                  text('maps.cars.links.until', { time: time(link.expiresAt, 'day-time') }),
                  link.lastOpenedAt === null
                    ? text('maps.cars.links.never-opened')
                    : text('maps.cars.links.opened', { time: time(link.lastOpenedAt, 'day-time') }),
                ].join(' · ')}
              </div>
            </div>
            <Button
              size="small"
              aria-label={text('maps.cars.revoke.of', { name: link.name })}
              disabled={isBusy}
              onClick={() => void remove(link.id)}
            >
              {text('maps.cars.revoke')}
            </Button>
          </li>
        ))}
      </ul>
      {children}
    </section>
  );
}
