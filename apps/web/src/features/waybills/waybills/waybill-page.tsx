import './waybills.css';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { EN_RULE, zoneWords } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled, listed } from '../../../shared/i18n/phrases.ts';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { WaybillLinks } from '../links/waybill-links.tsx';
import { HandoverView } from '../trips/handover-view.tsx';
import { ArrivalPanel } from './arrival-panel.tsx';
import { ExcursionList } from './excursion-list.tsx';
import { PaperButtons } from './paper-buttons.tsx';
import { PreCoolState } from './pre-cool-state.tsx';
import { StepForm } from './step-form.tsx';
import { TourStops } from './tour-stops.tsx';
import { TripDevicesPanel } from './trip-devices-panel.tsx';
import { TripPanel, type TripViews, useTripCursor } from './trip-panel.tsx';
import { VerdictPanel } from './verdict-panel.tsx';
import { WaybillEvents } from './waybill-events.tsx';
import { WaybillForm } from './waybill-form.tsx';
import { WaybillNotices } from './waybill-notices.tsx';
import { goodsWords, WaybillTags } from './waybill-words.tsx';
import { isStep, type Step, tripRecordQuery, waybillQuery } from './waybills.queries.ts';

/** Page of one waybill: its route, its temperature record with the verdict, and its chain of custody. */
export function WaybillPage({ id, ...views }: { id: number } & TripViews) {
  const { data, error, refetch } = useQuery(waybillQuery(id));
  useCrumbTitle(data?.number);
  if (data) return <Loaded waybill={data} views={views} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

function Loaded({ waybill, views }: { waybill: WaybillDetail; views: TripViews }) {
  const { text, time } = useViewer();
  const [step, setStep] = useState<Step | null>(null);
  const [adjusting, setAdjusting] = useState(false);
  const cursor = useTripCursor();
  const record = useQuery({ ...tripRecordQuery(waybill), enabled: waybill.departedAt !== null });
  const moment = (at: string | null) => (at === null ? EN_RULE : time(at, 'date-time'));
  return (
    <div className="page">
      <section className="panel detail-head">
        <Link className="detail-back small" to="/waybill/list">
          <Icon name="left" small />
          {text('menu.waybill-list')}
        </Link>
        <div className="detail-identity">
          <div className="detail-names">
            <h1>{waybill.number}</h1>
            <WaybillTags waybill={waybill} />
            <span className="secondary">{`${waybill.consignorUnit} → ${waybill.consigneeUnit}`}</span>
          </div>
          <div className="detail-actions">
            {waybill.actions.filter(isStep).map((action, at) => (
              <PermissionButton
                key={action}
                permission="waybill-list:transport"
                variant={at === 0 ? 'primary' : 'secondary'}
                onClick={() => setStep(action)}
              >
                {text(`waybills.action.${action}`)}
              </PermissionButton>
            ))}
            {waybill.actions.includes('adjust') ? (
              <PermissionButton permission="waybill-list:edit" onClick={() => setAdjusting(true)}>
                {text('waybills.action.adjust')}
              </PermissionButton>
            ) : null}
            <PaperButtons waybill={waybill} />
          </div>
        </div>
        <Definitions
          facts={[
            { label: text('waybills.goods'), value: goodsWords(waybill.goods) || EN_RULE },
            {
              label: text('waybills.batch'),
              value:
                waybill.goods
                  .map(({ batch }) => batch)
                  .filter(Boolean)
                  .join(', ') || EN_RULE,
            },
            {
              label: text('waybills.limits'),
              value: zoneWords({ zoneMin: waybill.low, zoneMax: waybill.high }),
            },
            { label: text('waybills.product'), value: waybill.profileName ?? EN_RULE },
            { label: text('waybills.asset'), value: waybill.assetName },
            { label: text('waybills.driver'), value: waybill.driverName ?? EN_RULE },
            { label: text('waybills.planned-departure'), value: moment(waybill.plannedDepartureAt) },
            { label: text('waybills.departed'), value: moment(waybill.departedAt) },
            { label: text('waybills.planned-delivery'), value: moment(waybill.plannedDeliveryAt) },
            { label: text('waybills.ended'), value: moment(waybill.endedAt) },
            {
              label: text('waybills.automatic.departure'),
              value: automaticWords(
                [
                  waybill.departureFenceName &&
                    labelled(text, text('waybills.means.geofence'), waybill.departureFenceName),
                  waybill.departAtTime && text('waybills.means.time'),
                  waybill.departByButton && text('waybills.means.button'),
                ],
                text('waybills.automatic.none'),
              ),
            },
            {
              label: text('waybills.automatic.delivery'),
              value: automaticWords(
                [
                  waybill.arrivalFenceNames.length > 0 &&
                    labelled(text, text('waybills.means.geofence'), listed(text, waybill.arrivalFenceNames)),
                  waybill.deliverAtTime && text('waybills.means.time'),
                  waybill.deliverByButton && text('waybills.means.button'),
                ],
                text('waybills.automatic.none'),
              ),
            },
            { label: text('waybills.consignor-contact'), value: contactWords(waybill, 'consignor') },
            { label: text('waybills.consignee-contact'), value: contactWords(waybill, 'consignee') },
            { label: text('waybills.note'), value: waybill.note || EN_RULE },
          ]}
        />
      </section>
      <div className="waybill-page">
        <TripPanel waybill={waybill} cursor={cursor} {...views} />
        <div className="waybill-column">
          {waybill.state === 'in-transport' ? <ArrivalPanel id={waybill.id} /> : null}
          {record.data ? (
            <>
              <VerdictPanel waybill={waybill} record={record.data} />
              <ExcursionList record={record.data} onSeek={cursor.seek} />
            </>
          ) : null}
          {waybill.preCool ? (
            <section className="panel waybill-section">
              <h2>{text('waybills.pre-cool')}</h2>
              <PreCoolState preCool={waybill.preCool} hasDeparted={waybill.departedAt !== null} />
            </section>
          ) : null}
          {waybill.stops ? (
            <section className="panel waybill-section">
              <h2>{text('waybills.tour.of', { number: waybill.stops.number })}</h2>
              <TourStops tour={waybill.stops} id={waybill.id} to="/waybill/list" />
            </section>
          ) : null}
          <TripDevicesPanel waybill={waybill} />
          <Custody waybill={waybill} />
          <WaybillEvents waybill={waybill} />
          <WaybillNotices waybill={waybill} />
          <WaybillLinks waybill={waybill} />
        </div>
      </div>
      {step ? <StepForm waybill={waybill} step={step} onClose={() => setStep(null)} /> : null}
      {adjusting ? (
        <WaybillForm
          waybill={waybill}
          onClose={() => setAdjusting(false)}
          onDone={() => setAdjusting(false)}
        />
      ) : null}
    </div>
  );
}

const automaticWords = (means: readonly (string | false | null)[], none: string): string =>
  means.filter(Boolean).join(' · ') || none;

const contactWords = (waybill: WaybillDetail, party: 'consignor' | 'consignee'): string =>
  [
    waybill[`${party}Address`],
    waybill[`${party}Contact`],
    waybill[`${party}Phone`],
    party === 'consignee' ? waybill.consigneeEmail : '',
  ]
    .filter(Boolean)
    .join(' · ') || EN_RULE;

function Custody({ waybill }: { waybill: WaybillDetail }) {
  const { text, time } = useViewer();
  return (
    <section className="panel waybill-section">
      <h2>{text('waybills.custody')}</h2>
      {waybill.custody.length === 0 ? <p className="secondary">{text('waybills.custody.empty')}</p> : null}
      <ol className="waybill-custody">
        {waybill.custody.map((entry) => (
          <li key={entry.id}>
            <span className="small tertiary number">{time(entry.at, 'date-time')}</span>
            <div className="strong">
              {[text(`waybills.action.${entry.action}`), entry.person, entry.assetName]
                .filter(Boolean)
                .join(' · ')}
            </div>
            {entry.handover ? <HandoverView waybillId={waybill.id} handover={entry.handover} /> : null}
            {entry.note || entry.means ? (
              <div className="secondary">
                {[entry.means ? text(`waybills.means.${entry.means}`) : '', entry.note]
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            ) : null}
            <div className="small tertiary">{text('waybills.custody.by', { username: entry.username })}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}
