import { LANGUAGE_NAMES, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import { useId } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { useField } from '../../shared/ui/form/form-context.ts';
import { Icon } from '../../shared/ui/icon.tsx';

export type TitlesValue = Partial<Record<Language, string>>;

/** Field for a name in four languages. `placeholders` show what is used if a name is empty. */
export function TitlesField({
  name,
  label,
  help,
  disabled = false,
  placeholders,
}: {
  name: string;
  label: string;
  help?: string;
  disabled?: boolean;
  placeholders?: TitlesValue;
}) {
  const { value, set, fault } = useField<TitlesValue>(name);
  return (
    <fieldset className="titles-field form-wide">
      <legend className="field-label">{label}</legend>
      <TitleInputs
        value={value ?? {}}
        onChange={set}
        disabled={disabled}
        {...(placeholders ? { placeholders } : {})}
      />
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : help ? (
        <div className="form-help">{help}</div>
      ) : null}
    </fieldset>
  );
}

/** Four inputs, each labelled with its language. */
function TitleInputs({
  value,
  onChange,
  disabled,
  placeholders,
}: {
  value: TitlesValue;
  onChange: (value: TitlesValue) => void;
  disabled: boolean;
  placeholders?: TitlesValue;
}) {
  const { text } = useText();
  const id = useId();
  const change = (language: Language, title: string) => {
    const { [language]: _, ...others } = value;
    onChange(title === '' ? others : { ...others, [language]: title });
  };
  return (
    <div className="titles-grid">
      {LANGUAGES.map((language) => (
        <div key={language} className="field">
          <label htmlFor={`${id}-${language}`} className="small tertiary titles-language">
            {LANGUAGE_NAMES[language]}
          </label>
          <input
            id={`${id}-${language}`}
            lang={language}
            maxLength={60}
            disabled={disabled}
            value={value[language] ?? ''}
            placeholder={placeholders?.[language] ?? text('settings.titles.none')}
            onChange={(event) => change(language, event.target.value)}
          />
        </div>
      ))}
    </div>
  );
}

/** Returns a name in the user's language, otherwise in English, otherwise in any language. */
export function titleIn(titles: TitlesValue, language: Language, otherwise: string): string {
  return titles[language] || titles.en || Object.values(titles).find(Boolean) || otherwise;
}
