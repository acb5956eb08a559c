import './logs.css';
import type { LogEntryDetail } from '@isotherm/contracts/logs';
import { fieldWord, kindWord } from '@isotherm/i18n/log-words';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { Link } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { differenceOf } from './difference.ts';
import { shortSession } from './log-words.ts';
import { logQuery } from './logs.queries.ts';

/** Drawer with one audit log entry: who, what, when, where, why, and every value before and after. */
export function LogDrawer({ seq, onClose }: { seq: number; onClose: () => void }) {
  const { text } = useText();
  const { data, error, refetch } = useQuery(logQuery(seq));
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={640}
        closable={{ placement: 'end' }}
        title={text('logs.entry', { seq })}
        onClose={onClose}
      >
        {data ? <Entry entry={data} /> : null}
        {!data && error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      </Drawer>
    </>
  );
}

function Entry({ entry }: { entry: LogEntryDetail }) {
  const { text, time } = useViewer();
  const rows = differenceOf(entry.objectKind, entry.before, entry.after, text);
  return (
    <>
      <h2 className="log-title">
        {text(`logs.action.${entry.action}`)} · {kindWord(entry.objectKind, text)} {entry.objectName}
      </h2>
      <Definitions
        facts={[
          { label: text('logs.at'), value: time(entry.at, 'date-time-seconds') },
          { label: text('logs.actor'), value: entry.actor || EN_RULE },
          { label: text('logs.address'), value: entry.address || EN_RULE },
          { label: text('logs.organization'), value: entry.organizationName || EN_RULE },
          { label: text('logs.session'), value: <Session entry={entry} /> },
          { label: text('logs.reason'), value: entry.reason || EN_RULE },
        ]}
      />
      {rows.length > 0 ? (
        <div className="log-difference">
          <TableFrame label={text('logs.difference')}>
            <thead>
              <tr>
                <th scope="col">{text('logs.field')}</th>
                {entry.before ? <th scope="col">{text('logs.before')}</th> : null}
                {entry.after ? <th scope="col">{text('logs.after')}</th> : null}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{fieldWord(entry.objectKind, field, text)}</th>
                  {entry.before ? <td>{before ? <del>{before}</del> : EN_RULE}</td> : null}
                  {entry.after ? <td>{after ? <ins>{after}</ins> : EN_RULE}</td> : null}
                </tr>
              ))}
            </tbody>
          </TableFrame>
        </div>
      ) : (
        <p className="secondary log-none">{text('logs.no-values')}</p>
      )}
      <details className="log-chain">
        <summary>{text('logs.chain')}</summary>
        <p className="small secondary">{text('logs.chain.means')}</p>
        <dl>
          <dt>{text('logs.hash')}</dt>
          <dd>
            <code>{entry.hash}</code>
          </dd>
          <dt>{text('logs.previous-hash')}</dt>
          <dd>
            <code>{entry.previousHash}</code>
          </dd>
        </dl>
      </details>
    </>
  );
}

/**
 * Link to all entries of the session. It also filters by account, because the log is indexed by account and
 * a session belongs to one account.
 */
function Session({ entry: { sessionId, actor } }: { entry: LogEntryDetail }) {
  const { text } = useText();
  if (sessionId === '') return EN_RULE;
  return (
    <>
      <code title={sessionId}>{shortSession(sessionId)}</code>{' '}
      <Link to={`?${new URLSearchParams({ actor, sessionId })}`}>{text('logs.session.all')}</Link>
    </>
  );
}
