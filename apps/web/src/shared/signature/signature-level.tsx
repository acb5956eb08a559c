import { SIGNATURE_LEVELS, type SignatureLevel } from '@isotherm/domain/access/signature';
import Select from 'antd/es/select';
import { levelLabel } from '../format/labels.ts';
import { type Text, useText } from '../i18n/use-text.ts';
import { isTab, KeyFrame } from '../ui/form/key-frame.tsx';

const INHERITED = 'inherited';

/** Describes a signature setting. `inherited` is the text for a setting that is not set. */
export function signatureLevelWords(
  level: SignatureLevel | null | undefined,
  inherited: string,
  text: Text,
): string {
  if (level === null || level === undefined) return inherited;
  return level === 0 ? text('signatures.from-level.never') : levelLabel(level, text);
}

/** Select for the alarm level from which signatures are required; null: as `inherited` says. */
export function SignatureLevelSelect({
  value,
  inherited,
  onChange,
  ...control
}: {
  value: SignatureLevel | null;
  inherited: string;
  onChange: (level: SignatureLevel | null) => void;
  id?: string;
  'aria-label'?: string;
}) {
  const { text } = useText();
  return (
    <KeyFrame take={isTab}>
      <Select<SignatureLevel | typeof INHERITED>
        {...control}
        className="form-select"
        value={value ?? INHERITED}
        options={[
          { value: INHERITED, label: inherited },
          ...SIGNATURE_LEVELS.map((level) => ({
            value: level,
            label: signatureLevelWords(level, inherited, text),
          })),
        ]}
        onChange={(level) => onChange(level === INHERITED ? null : level)}
      />
    </KeyFrame>
  );
}
