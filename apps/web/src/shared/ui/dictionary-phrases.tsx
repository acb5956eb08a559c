import './dictionary-phrases.css';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useText } from '../i18n/use-text.ts';

const KEPT_MS = 5 * 60_000;

/**
 * Buttons with frequent phrases from the data dictionary; a click on one puts it at the start of the text.
 * If the dictionary is missing, the user simply types.
 */
export function DictionaryPhrases({
  dictionary,
  value,
  onChange,
}: {
  /** Code of the dictionary. */
  dictionary: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { language } = useText();
  const { data } = useQuery({
    queryKey: ['settings', 'dictionary-options', dictionary, language],
    queryFn: ({ signal }) =>
      call(getDictionaryOptions, { params: { code: dictionary }, signal, quiet: true }),
    staleTime: KEPT_MS,
  });
  if (!data || data.length === 0) return null;
  const start = value.trim();
  return (
    <div className="phrases">
      {data.map(({ value: key, label }) => (
        <button
          key={key}
          type="button"
          className="phrase"
          onClick={() => onChange(start === '' ? label : `${start} ${label}`)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
