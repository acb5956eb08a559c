import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import type { StudyVerdict } from '@isotherm/domain/assets/validation-study';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';

const VERDICT_ICONS: Readonly<Record<StudyVerdict, IconName>> = {
  passed: 'check',
  failed: 'close',
  insufficient: 'unlinked',
};

/** Verdict or progress of a study. *Passed* gets a reservation if a sensor was not calibrated. */
export function StudyTag({
  study: { state, result, uncalibrated },
}: {
  study: Pick<ValidationStudy, 'state' | 'result' | 'uncalibrated'>;
}) {
  const { text } = useText();
  if (!result)
    return (
      <span className="tag">
        <Icon name="clock" small />
        {text(`validations.state.${state}`)}
      </span>
    );
  if (result.verdict === 'passed' && uncalibrated.length > 0)
    return (
      <span className="tag study-tag study-reserved">
        <Icon name="info" small />
        {text('validations.verdict.reserved')}
      </span>
    );
  return (
    <span className={`tag study-tag study-${result.verdict}`}>
      <Icon name={VERDICT_ICONS[result.verdict]} small />
      {text(`validations.verdict.${result.verdict}`)}
    </span>
  );
}
