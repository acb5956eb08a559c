import './waybills.css';
import {
  type SeenVerdict,
  seenVerdictOf,
  type TripRecord,
  type WaybillDetail,
} from '@isotherm/contracts/waybills';
import { decidingMkt } from '@isotherm/domain/waybills/mean-kinetic';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import { mktWords, windowWords } from '@isotherm/i18n/mkt-words';
import { useState } from 'react';
import { formatSetting } from '../../../shared/format/duration.ts';
import { celsius, EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { bandRange } from '../profiles/profile-words.ts';
import { useWaybillChanges } from './waybills.queries.ts';

type Verdict = TripRecord['probes'][number]['verdict'];
const DECISIONS = ['released', 'quarantined', 'rejected'] as const;

/** The verdict of a trip by its worst probe, and the decision about the goods. */
export function VerdictPanel({ waybill, record }: { waybill: WaybillDetail; record: TripRecord }) {
  const { text, time } = useViewer();
  const [worst, ...others] = record.probes;
  if (!worst) return null;
  const { verdict } = worst;
  const hasEnded = waybill.endedAt !== null;
  const profile =
    record.profileName === null
      ? ''
      : text('waybills.verdict.profile', { name: record.profileName, version: record.profileVersion ?? 0 });
  return (
    <section className="panel waybill-section">
      <h2>
        {text('waybills.verdict')} <span className="small tertiary">{profile}</span>
      </h2>
      <p className="waybill-proposal">{text(`waybills.proposal.${verdict.proposal}`)}</p>
      <p className="secondary">
        {record.judgedUntil === null || verdict.proposal === 'reject'
          ? text(`waybills.proposal.${verdict.proposal}.means`)
          : null}{' '}
        {record.judgedUntil === null
          ? null
          : text('waybills.verdict.cut', { time: time(record.judgedUntil, 'date-time') })}{' '}
        {hasEnded ? null : <span className="tag">{text('waybills.verdict.so-far')}</span>}
      </p>
      {verdict.bands.map((band) => (
        <BandUse key={`${band.low} ${band.high}`} band={band} text={text} />
      ))}
      <dl className="waybill-figures">
        {figuresOf(verdict, record, text).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="number strong">{value}</dd>
          </div>
        ))}
        <div>
          <dt>{text('waybills.probe')}</dt>
          <dd>{[...new Set(worst.names)].join(' · ') || EN_RULE}</dd>
        </div>
      </dl>
      <MeanKinetic verdict={verdict} activationKj={record.activationKj} />
      {others.map(({ names, verdict: other }) => (
        <p key={names.join(' ')} className="small secondary">
          {labelled(text, [...new Set(names)].join(' · '), text(`waybills.proposal.${other.proposal}`))}
        </p>
      ))}
      {waybill.decision && waybill.decidedAt ? (
        <p>
          <strong>{decidedWords(waybill, text, time)}</strong>
          <br />
          <span className="secondary">{waybill.decisionReason}</span>
        </p>
      ) : null}
      {hasEnded ? <Decide waybill={waybill} record={record} /> : null}
    </section>
  );
}

function decidedWords(
  { decision, decidedBy, decidedAt }: WaybillDetail,
  text: Text,
  time: ReturnType<typeof useViewer>['time'],
): string {
  if (!decision || !decidedAt) return '';
  return text('waybills.decided', {
    decision: text(`waybills.decision.${decision}`),
    username: decidedBy ?? '',
    time: time(decidedAt, 'date-time'),
  });
}

/** The mean kinetic temperature of the trip and of its worst window, with what went into them. */
function MeanKinetic({ verdict, activationKj }: { verdict: Verdict; activationKj: number }) {
  const { text, time, language } = useViewer();
  const sentences = mktWords(verdict, activationKj, {
    text,
    language,
    period: (from, to) => `${time(from, 'date-time')} – ${time(to, 'date-time')}`,
  });
  if (sentences.length === 0) return null;
  return (
    <dl className="small secondary waybill-mkt">
      <dt className="strong">{text('waybills.mkt')}</dt>
      {sentences.map((sentence) => (
        <dd key={sentence}>{sentence}</dd>
      ))}
    </dl>
  );
}

function BandUse({ band, text }: { band: Verdict['bands'][number]; text: Text }) {
  const isOther = band.low === null && band.high === null;
  const used = text('waybills.band.used', {
    used: formatDuration(band.usedMs, text),
    allowed: band.allowedMs > 0 ? formatSetting(band.allowedMs, text) : formatDuration(0, text),
  });
  const left =
    band.usedMs > band.allowedMs
      ? text('waybills.paper.exceeded', { duration: formatDuration(band.usedMs - band.allowedMs, text) })
      : text('waybills.band.left', { left: formatDuration(band.allowedMs - band.usedMs, text) });
  return (
    <div>
      <div className="row waybill-band">
        <span>{isOther ? text('waybills.band.other') : bandRange(band, text)}</span>
        <span className="number">
          <strong>{used}</strong>
          {' · '}
          {left}
        </span>
      </div>
      <progress
        className="waybill-bar"
        aria-label={used}
        max={1}
        value={band.allowedMs > 0 ? Math.min(1, band.usedMs / band.allowedMs) : band.usedMs > 0 ? 1 : 0}
      />
    </div>
  );
}

function figuresOf(verdict: Verdict, { mktLimit }: TripRecord, text: Text) {
  const { min, max, coverage, gaps, outsideMs, excursions } = verdict;
  // The limit stands beside the figure that is compared with it.
  const deciding = decidingMkt(verdict);
  const mkt = deciding === null ? EN_RULE : celsius(deciding.value, 2);
  return [
    { label: text('waybills.outside'), value: formatDuration(outsideMs, text) },
    { label: text('waybills.excursions'), value: String(excursions.length) },
    {
      label: deciding?.window
        ? text('waybills.mkt.highest', { window: windowWords(deciding.window.windowMs, text) })
        : text('waybills.mkt'),
      value: mktLimit === null ? mkt : text('waybills.mkt.limit', { value: mkt, limit: celsius(mktLimit) }),
    },
    {
      label: text('waybills.lowest-highest'),
      value: min === null || max === null ? EN_RULE : `${celsius(min)}, ${celsius(max)}`,
    },
    {
      label: text('waybills.coverage'),
      value: text('waybills.coverage.gaps', { share: shareWords(coverage), count: gaps.length }),
    },
  ];
}

/** Says what has changed since the dialog was opened. */
function changedWords(before: SeenVerdict, now: SeenVerdict, decided: string, text: Text): string[] {
  const proposal = (seen: SeenVerdict) => text(`waybills.proposal.${seen.proposal}`);
  return [
    ...(before.proposal === now.proposal
      ? []
      : [text('waybills.decide.changed.verdict', { before: proposal(before), after: proposal(now) })]),
    ...(before.readings === now.readings
      ? []
      : [text('waybills.decide.changed.readings', { before: before.readings, after: now.readings })]),
    ...(before.decidedAt === now.decidedAt ? [] : [decided]),
  ];
}

function Decide({ waybill, record }: { waybill: WaybillDetail; record: TripRecord }) {
  const { text, time } = useViewer();
  const changes = useWaybillChanges();
  const [asked, setAsked] = useState<{ decision: (typeof DECISIONS)[number]; seen: SeenVerdict } | null>(
    null,
  );
  const seen = seenVerdictOf(record, waybill.decidedAt);
  const changed = asked ? changedWords(asked.seen, seen, decidedWords(waybill, text, time), text) : [];
  return (
    <div className="waybill-decide">
      {DECISIONS.map((decision) => (
        <PermissionButton
          key={decision}
          permission="waybill-list:decide"
          variant={decision === 'released' && !waybill.decision ? 'primary' : 'secondary'}
          onClick={() => setAsked({ decision, seen })}
        >
          {text(`waybills.decide.${decision}`)}
        </PermissionButton>
      ))}
      {asked ? (
        <ConfirmWithReason
          weight="reason"
          title={text('waybills.decide.title', {
            decision: text(`waybills.decide.${asked.decision}`),
            number: waybill.number,
          })}
          confirmLabel={text(`waybills.decide.${asked.decision}`)}
          onConfirm={(reason) => changes.decide(waybill.id, { decision: asked.decision, reason, seen })}
          onClose={() => setAsked(null)}
        >
          <p>{text('waybills.decide.means')}</p>
          {changed.map((words) => (
            <p key={words}>
              <strong>{words}</strong>
            </p>
          ))}
        </ConfirmWithReason>
      ) : null}
    </div>
  );
}
