import { type Alarm, acknowledgementOf } from '@isotherm/contracts/alarms';
import { type AcknowledgementField, ALARM_REASONS } from '@isotherm/domain/alarms/acknowledgement';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../shared/api/api-error.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { DictionaryPhrases } from '../../shared/ui/dictionary-phrases.tsx';
import { SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { FormPanel } from '../../shared/ui/form/form-panel.tsx';
import { TextAreaField } from '../../shared/ui/form/text-fields.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useAlarmActions } from './alarms.queries.ts';

/** Creates the schema of the form for a policy that requires these fields. */
export function useAcknowledgementSchema(required: readonly AcknowledgementField[]) {
  const key = required.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal lists mean the same schema.
  return useMemo(() => acknowledgementOf(required), [key]);
}

/**
 * Form that acknowledges an alarm with reason, cause and corrective action. The policy of the alarm decides
 * which of them are required.
 */
export function AcknowledgeForm({
  alarm,
  onDone,
  onTyped,
}: {
  alarm: Alarm;
  onDone?: () => void;
  /** Called with what is typed, and with an empty text while it is being saved. */
  onTyped?: (typed: string) => void;
}) {
  const { text } = useText();
  const actions = useAlarmActions(alarm);
  const schema = useAcknowledgementSchema(alarm.required);
  const [firstLevel] = useState(alarm.peakLevel);
  return (
    <div className="alarm-acknowledge">
      <FormPanel
        schema={schema}
        initial={NOTHING}
        submitsUnchanged
        submitLabel={text('alarms.acknowledge.submit')}
        submit={async (said) => {
          try {
            onTyped?.('');
            await actions.acknowledge(said);
          } catch (error) {
            onTyped?.(typedOf(said.cause, said.correctiveAction));
            // The acknowledgement of the other person replaces the form, so an error banner inside the form
            // would not be seen.
            if (error instanceof ApiError && error.code === 'alarm.already_acknowledged')
              toast('failure', error.message);
            throw error;
          }
        }}
        {...(onDone ? { onDone } : {})}
      >
        {alarm.peakLevel > firstLevel ? (
          <p className="form-wide strong" role="status">
            {text('alarms.acknowledge.climbed', { level: alarm.peakLevel })}
          </p>
        ) : null}
        <AcknowledgementFields {...(onTyped ? { onTyped } : {})} />
        {alarm.mustSign ? <p className="form-wide small secondary">{text('signatures.needed')}</p> : null}
      </FormPanel>
    </div>
  );
}

const NOTHING = {};

const typedOf = (...texts: (string | undefined)[]): string =>
  texts
    .map((each) => each?.trim())
    .filter(Boolean)
    .join('\n');

/** Fields of an acknowledgement. The schema of the form decides which of them are required. */
export function AcknowledgementFields({ onTyped }: { onTyped?: (typed: string) => void }) {
  const { text } = useText();
  const action = useField<string>('correctiveAction');
  const cause = useField<string>('cause');
  const typed = typedOf(cause.value, action.value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told of what is typed, not of a new callback.
  useEffect(() => onTyped?.(typed), [typed]);
  return (
    <>
      <SelectField
        name="reason"
        label={text('alarms.acknowledge.reason')}
        placeholder={text('alarms.acknowledge.reason.placeholder')}
        clearable
        options={ALARM_REASONS.map((value) => ({ value, label: text(REASON_WORDS[value]) }))}
      />
      <TextAreaField name="cause" label={text('alarms.acknowledge.cause')} rows={2} />
      <TextAreaField name="correctiveAction" label={text('alarms.acknowledge.corrective-action')} rows={2} />
      <DictionaryPhrases
        dictionary="alarm-handling"
        value={action.value ?? ''}
        onChange={(said) => action.set(said)}
      />
    </>
  );
}
