import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import type { StudyVerdict } from '@isotherm/domain/assets/validation-study';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';

const VERDICT_ICONS: Readonly<Record<StudyVerdict, IconName>> = {
  passed: 'check',
  failed: 'close',
  insufficient: 'unlinked',
};

/** A verdict where there is one, otherwise how far the study is. */
export function StudyTag({ study: { state, result } }: { study: Pick<ValidationStudy, 'state' | 'result'> }) {
  const { text } = useText();
  if (!result)
    return (
      <span className="tag">
        <Icon name="clock" small />
        {text(`validations.state.${state}`)}
      </span>
    );
  return (
    <span className={`tag study-tag study-${result.verdict}`}>
      <Icon name={VERDICT_ICONS[result.verdict]} small />
      {text(`validations.verdict.${result.verdict}`)}
    </span>
  );
}
