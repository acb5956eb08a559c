import '../alarms.css';
import './alarm-link.css';
import {
  acknowledgeByLink,
  type LinkedAlarmView,
  lookAtAlarmLink,
} from '@isotherm/contracts/acknowledge-links';
import { acknowledgementOf } from '@isotherm/contracts/alarms';
import { ALARM_REASONS } from '@isotherm/domain/alarms/acknowledgement';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { useEffect, useMemo, useState } from 'react';
import { z } from 'zod';
import { ApiError } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { currentLanguage } from '../../../shared/i18n/language.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';

/**
 * What the link of a message shows, without login: the alarm, and the form that acknowledges it in the name of the
 * recipient. Loading the page changes nothing.
 */
export function AlarmLink({ token }: { token: string }) {
  const { text } = useText();
  const [alarm, setAlarm] = useState<LinkedAlarmView | null>(null);
  const [failure, setFailure] = useState('');
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    call(lookAtAlarmLink, { body: { token }, quiet: true })
      .then(setAlarm)
      .catch((error: Error) => setFailure(error.message));
  }, [token]);
  if (failure)
    return (
      <div className="alarm-link">
        <h1>{text('links.invalid')}</h1>
        <p className="secondary">{failure}</p>
        <ConsoleLink />
      </div>
    );
  if (!alarm) return <div className="skeleton skeleton-body" />;
  return (
    <div className="alarm-link">
      <h1>
        <LevelGlyph level={alarm.level} size={24} /> {alarm.title}
      </h1>
      <p>{alarm.message}</p>
      <Facts alarm={alarm} />
      {isDone ? (
        <p className="row strong" role="status">
          <Icon name="check" />
          {text('links.done')}
        </p>
      ) : alarm.fault === null ? (
        <Acknowledge
          alarm={alarm}
          submit={async (said) => {
            const body = { ...said, token, level: alarm.level };
            try {
              setAlarm(await call(acknowledgeByLink, { body, quiet: true }));
              setDone(true);
            } catch (error) {
              // The person sees the level that the alarm has now, before acknowledging it.
              if (error instanceof ApiError && error.code === 'alarm.climbed')
                await call(lookAtAlarmLink, { body: { token }, quiet: true }).then(setAlarm, () => undefined);
              throw error;
            }
          }}
        />
      ) : (
        <p className="strong">{text(`links.fault.${alarm.fault}`)}</p>
      )}
      {alarm.fault === null ? null : <ConsoleLink />}
    </div>
  );
}

function ConsoleLink() {
  const { text } = useText();
  return (
    <a className={buttonClass()} href="/alarm/current">
      {text('links.open')}
    </a>
  );
}

function Facts({ alarm }: { alarm: LinkedAlarmView }) {
  const { text } = useText();
  const format = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium', timeStyle: 'long' });
  const time = (moment: string | null) => (moment === null ? '' : format.format(new Date(moment)));
  const rows = [
    [text('alarms.column.place'), [alarm.place, alarm.organizationName].filter(Boolean).join(' · ')],
    [text('links.raised'), time(alarm.raisedAt)],
    [text('links.ended'), time(alarm.endedAt)],
    [text('alarms.column.acknowledged'), alarm.acknowledgedBy ?? ''],
  ] as const;
  return (
    <dl className="alarm-said">
      {rows
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const NOTHING = {};
const PIN = z.object({ pin: z.string().trim().min(1) });

/** What the form of a link says; the PIN is empty if the recipient has none. */
type Said = z.output<ReturnType<typeof acknowledgementOf>> & { pin?: string };

function Acknowledge({
  alarm: { required, recipient, needsPin },
  submit,
}: {
  alarm: LinkedAlarmView;
  submit: (said: Said) => Promise<void>;
}) {
  const { text } = useText();
  const schema = useMemo(() => {
    const said = acknowledgementOf(required);
    return needsPin ? said.extend(PIN.shape) : said;
  }, [required, needsPin]);
  return (
    <FormPanel
      schema={schema}
      initial={NOTHING}
      submitsUnchanged
      guarded={false}
      submitLabel={text('links.acknowledge')}
      faultFields={{ 'link.wrong_pin': 'pin' }}
      submit={(said) => submit(said as Said)}
    >
      <p className="form-wide secondary">{text('links.as', { name: recipient })}</p>
      <SelectField
        name="reason"
        label={text('alarms.acknowledge.reason')}
        placeholder={text('alarms.acknowledge.reason.placeholder')}
        clearable
        options={ALARM_REASONS.map((value) => ({ value, label: text(REASON_WORDS[value]) }))}
      />
      <TextAreaField name="cause" label={text('alarms.acknowledge.cause')} rows={2} />
      <TextAreaField name="correctiveAction" label={text('alarms.acknowledge.corrective-action')} rows={2} />
      {needsPin ? <TextField name="pin" label={text('links.pin.enter')} inputMode="numeric" /> : null}
    </FormPanel>
  );
}
