import { DEFAULT_LINK_LEVEL, LINK_LEVELS, type LinkLevel } from '@isotherm/domain/alarms/acknowledge-link';
import Select from 'antd/es/select';
import { levelLabel } from '../../../shared/format/labels.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';

export interface LinkSetting {
  linkLevel?: LinkLevel;
  linkInSms?: boolean;
}

/** Describes in one sentence up to which level links in messages acknowledge. */
export function linkWords(level: LinkLevel = DEFAULT_LINK_LEVEL, text: Text): string {
  return level === 0 ? text('links.words.never') : text('links.words', { level });
}

/** Up to which level links in messages acknowledge, and whether SMS contain them. */
export function LinkFields({
  linkLevel = DEFAULT_LINK_LEVEL,
  linkInSms,
  onChange,
}: {
  linkLevel: LinkLevel | undefined;
  linkInSms: boolean;
  onChange: (links: LinkSetting) => void;
}) {
  const { text } = useText();
  return (
    <>
      <div className="graded-cell graded-type">
        <span className="field-label" aria-hidden="true">
          {text('links.level')}
        </span>
        <KeyFrame take={isTab}>
          <Select<LinkLevel>
            className="form-select"
            aria-label={text('links.level')}
            value={linkLevel}
            options={LINK_LEVELS.map((value) => ({
              value,
              label: value === 0 ? text('links.level.never') : levelLabel(value, text),
            }))}
            onChange={(level) => onChange({ linkLevel: level })}
          />
        </KeyFrame>
        <span className="small secondary">{text('links.level.help')}</span>
      </div>
      <label className="row graded-outside">
        <input
          type="checkbox"
          checked={linkInSms}
          disabled={linkLevel === 0}
          onChange={({ target }) => onChange({ linkInSms: target.checked })}
        />
        {text('links.in-sms')}
      </label>
      <p className="small secondary">{text('links.in-sms.help')}</p>
    </>
  );
}
