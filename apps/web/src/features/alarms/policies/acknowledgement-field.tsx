import type { SignatureLevel } from '@isotherm/domain/access/signature';
import type { LinkLevel } from '@isotherm/domain/alarms/acknowledge-link';
import { ACKNOWLEDGEMENT_FIELDS, type AcknowledgementRule } from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import Select from 'antd/es/select';
import { levelLabel } from '../../../shared/format/labels.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { SignatureLevelSelect } from '../../../shared/signature/signature-level.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { FIELD_LABEL } from '../alarm-words.ts';
import { LinkFields, type LinkSetting } from './link-fields.tsx';

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

/** Describes in one sentence from which level on actions are signed; empty if the organisation decides. */
export function signatureWords(level: SignatureLevel | undefined, text: Text): string {
  if (level === undefined) return '';
  return level === 0
    ? text('signatures.from-level.words.never')
    : text('signatures.from-level.words', { level });
}

/** Field for the required parts of an acknowledgement and the level from which they are required. */
export function AcknowledgementField({
  rule,
  signatureFromLevel,
  onChange,
  onSignatureChange,
  linkLevel,
  linkInSms,
  onLinkChange,
}: {
  rule: AcknowledgementRule;
  signatureFromLevel: SignatureLevel | undefined;
  onChange: (rule: AcknowledgementRule) => void;
  onSignatureChange: (level: SignatureLevel | undefined) => void;
  linkLevel: LinkLevel | undefined;
  linkInSms: boolean;
  onLinkChange: (links: LinkSetting) => void;
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
      <div className="graded-cell graded-type">
        <span className="field-label" aria-hidden="true">
          {text('signatures.from-level')}
        </span>
        <SignatureLevelSelect
          aria-label={text('signatures.from-level')}
          value={signatureFromLevel ?? null}
          inherited={text('signatures.from-level.inherit-policy')}
          onChange={(level) => onSignatureChange(level ?? undefined)}
        />
        <span className="small secondary">{text('signatures.from-level.help')}</span>
      </div>
      <LinkFields linkLevel={linkLevel} linkInSms={linkInSms} onChange={onLinkChange} />
    </section>
  );
}
