import { useEffect, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';

type Judge = typeof import('@isotherm/contracts/password-strength').judgePassword;

const NAMES = [
  'common.strength.none',
  'common.strength.weak',
  'common.strength.fair',
  'common.strength.good',
  'common.strength.strong',
] as const;
const PARTS = [1, 2, 3, 4] as const;

/** Shows the strength of a password. Its large dictionary is loaded only with this component. */
export function StrengthMeter({ password, own }: { password: string; own?: readonly string[] }) {
  const { text } = useText();
  const [judge, setJudge] = useState<Judge | null>(null);
  useEffect(() => {
    let wanted = true;
    void import('@isotherm/contracts/password-strength').then(
      ({ judgePassword }) => wanted && setJudge(() => judgePassword),
    );
    return () => {
      wanted = false;
    };
  }, []);
  if (password === '' || !judge) return <div className="strength" aria-hidden="true" />;
  const { score, common } = judge(password, own);
  const word = common ? text('common.strength.common') : text(NAMES[score]);
  return (
    <div className="strength" role="status">
      <span className="strength-bar" aria-hidden="true">
        {PARTS.map((part) => (
          <i key={part} className={part <= score && !common ? 'strength-on' : undefined} />
        ))}
      </span>
      <span className="small secondary">{text('common.strength', { word })}</span>
    </div>
  );
}
