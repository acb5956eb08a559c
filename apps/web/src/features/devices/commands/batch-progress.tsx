import { REQUEST_STATES } from '@isotherm/domain/devices/command';
import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../../shared/access/permissions.ts';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { orderWords, STATE_ICONS } from './command-words.tsx';
import { batchQuery, openCount } from './commands.queries.ts';

/** Progress of a batch of commands: the number of devices in each state, as bar and text. */
export function BatchProgress({
  id,
  unknown,
  onClose,
}: {
  id: number;
  /** Device numbers for which there is no device that the user can see. */
  unknown: readonly string[];
  onClose: () => void;
}) {
  const { text, time, language } = useViewer();
  const sees = usePermission('device-commands:view');
  const { data: batch } = useQuery({ ...batchQuery(id), enabled: sees });
  if (!batch) return null;
  const total = REQUEST_STATES.reduce((sum, state) => sum + batch.states[state], 0);
  const ended = total - openCount(batch);
  const shown = REQUEST_STATES.filter((state) => batch.states[state] > 0);
  return (
    <section className="panel command-progress" aria-label={text('commands.progress', { id })}>
      <div className="command-progress-head">
        <div>
          <h2>{orderWords(batch.order, text)}</h2>
          <p className="small secondary">
            {[
              text('commands.batch.number', { id }),
              batch.requestedBy,
              time(batch.requestedAt, 'date-time'),
              batch.note,
            ]
              .filter((part) => part !== '')
              .join(' · ')}
          </p>
        </div>
        <Button variant="quiet" icon aria-label={text('common.action.close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <div className="command-bar" aria-hidden="true">
        {shown.map((state) => (
          <span key={state} className={`command-${state}`} style={{ flexGrow: batch.states[state] }} />
        ))}
      </div>
      <ul className="command-counts">
        {shown.map((state) => (
          <li key={state} className={`command-${state}`}>
            <Icon name={STATE_ICONS[state]} small />
            {text(`commands.state.${state}`)}
            <strong className="number">{integer(language, batch.states[state])}</strong>
          </li>
        ))}
      </ul>
      <p className="small secondary" role="status">
        {ended === total
          ? text('commands.batch.finished', { total })
          : text('commands.batch.under-way', { ended, total })}
      </p>
      {batch.states.reserved > 0 ? (
        <p className="small secondary">
          {text('commands.batch.waiting', {
            count: batch.states.reserved,
            until: time(batch.expiresAt, 'date-time'),
          })}
        </p>
      ) : null}
      {unknown.length > 0 ? (
        <p className="small command-unknown">
          {text('commands.batch.unknown', { count: unknown.length, numbers: unknown.join(', ') })}
        </p>
      ) : null}
    </section>
  );
}
