import { ACKNOWLEDGEMENT_FIELDS, type AcknowledgementRule } from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import Select from 'antd/es/select';
import { levelLabel } from '../../../shared/format/labels.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { FIELD_LABEL } from '../alarm-words.ts';

/** Describes in one sentence what an acknowledgement must contain for alarms of the policy. */
export function acknowledgementWords({ required, fromLevel }: AcknowledgementRule, text: Text): string {
  if (required.length === 0) return text('policies.acknowledgement.none');
  return text('policies.acknowledgement.words', {
    level: fromLevel,
    fields: ACKNOWLEDGEMENT_FIELDS.filter((field) => required.includes(field))
      .map((field) => text(FIELD_LABEL[field]))
      .join(text('logs.value.between')),
  });
}

/** Field for the required parts of an acknowledgement and the level from which they are required. */
export function AcknowledgementField({
  rule,
  onChange,
}: {
  rule: AcknowledgementRule;
  onChange: (rule: AcknowledgementRule) => void;
}) {
  const { text } = useText();
  const { required, fromLevel } = rule;
  return (
    <section className="panel graded-section">
      <h2>{text('policies.acknowledgement')}</h2>
      <p className="small secondary">{text('policies.acknowledgement.help')}</p>
      {ACKNOWLEDGEMENT_FIELDS.map((field) => (
        <label key={field} className="row graded-outside">
          <input
            type="checkbox"
            checked={required.includes(field)}
            onChange={({ target }) =>
              onChange({
                ...rule,
                required: target.checked ? [...required, field] : required.filter((other) => other !== field),
              })
            }
          />
          {text(FIELD_LABEL[field])}
        </label>
      ))}
      <div className="graded-cell graded-type">
        <span className="field-label" aria-hidden="true">
          {text('policies.acknowledgement.from')}
        </span>
        <KeyFrame take={isTab}>
          <Select<AlarmLevel>
            className="form-select"
            aria-label={text('policies.acknowledgement.from')}
            value={fromLevel}
            disabled={required.length === 0}
            options={ALARM_LEVELS.map((value) => ({ value, label: levelLabel(value, text) }))}
            onChange={(level) => onChange({ ...rule, fromLevel: level })}
          />
        </KeyFrame>
      </div>
    </section>
  );
}
