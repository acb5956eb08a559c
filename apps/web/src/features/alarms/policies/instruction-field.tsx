import { MAX_INSTRUCTION } from '@isotherm/contracts/alarm-policies';
import { useText } from '../../../shared/i18n/use-text.ts';

/** Field for what people are to do when an alarm reaches a level. */
export function InstructionField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { text } = useText();
  return (
    <label className="graded-instruction">
      <span className="field-label">{text('policies.step.instruction')}</span>
      <textarea
        className="text-area"
        rows={2}
        maxLength={MAX_INSTRUCTION}
        value={value}
        placeholder={text('policies.step.instruction.example')}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
