import type { WaybillDetail, WaybillNotice } from '@isotherm/contracts/waybills';
import { celsius } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';

/** What the contact of the consignee was told by e-mail, with the state of the e-mails. */
export function WaybillNotices({ waybill }: { waybill: WaybillDetail }) {
  const viewer = useViewer();
  const { text, time } = viewer;
  if (waybill.notices.length === 0 && waybill.consigneeEmail === '') return null;
  return (
    <section className="panel waybill-section">
      <h2>{text('waybills.notices')}</h2>
      {waybill.notices.length === 0 ? (
        <p className="secondary">{text('waybills.notices.none', { recipient: waybill.consigneeEmail })}</p>
      ) : null}
      <ol className="waybill-custody">
        {waybill.notices.map((notice) => (
          <li key={notice.id}>
            <span className="small tertiary number">{time(notice.at, 'date-time')}</span>
            <div className="strong">{noticeWords(notice, viewer)}</div>
            <div className={notice.state === 'failed' ? 'strong' : 'secondary'}>
              {text(`waybills.notice.state.${notice.state}`, { recipient: notice.recipient })}
            </div>
            {notice.error ? <div className="small tertiary">{notice.error}</div> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function noticeWords(
  { kind, about, expectedAt, peak }: WaybillNotice,
  { text, time }: Pick<Viewer, 'text' | 'time'>,
): string {
  if (kind === 'delay')
    return expectedAt === null
      ? text('waybills.notice.delay', { planned: time(about, 'date-time') })
      : text('waybills.notice.delay.expected', {
          planned: time(about, 'date-time'),
          expected: time(expectedAt, 'date-time'),
        });
  return text('waybills.notice.excursion', {
    from: time(about, 'date-time'),
    peak: peak === null ? '' : celsius(peak),
  });
}
