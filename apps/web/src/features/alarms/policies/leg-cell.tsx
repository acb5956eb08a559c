import { LEG_CONDITIONS, type LegCondition } from '@isotherm/domain/alarms/policy';
import type { TextId } from '@isotherm/i18n/text-id';
import Select from 'antd/es/select';
import { useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';

const HELP: Readonly<Record<LegCondition, TextId>> = {
  'in-transit': 'policies.leg.help',
  product: 'policies.leg.product.help',
  'not-in-transit': 'policies.leg.help',
  'at-origin': 'policies.leg.at-origin.help',
  'at-destination': 'policies.leg.at-destination.help',
};

/** Cell for when a condition applies to a vehicle or box that carries shipments. */
export function LegCell({
  leg,
  hasProductLimits,
  isWrong,
  onChange,
}: {
  leg: LegCondition | null;
  /** Whether the condition can have the limits of the products. */
  hasProductLimits: boolean;
  isWrong: boolean;
  onChange: (leg: LegCondition | null) => void;
}) {
  const { text } = useText();
  const offered = LEG_CONDITIONS.filter((each) => each !== 'product' || hasProductLimits || leg === each);
  return (
    <div className={leg === null ? 'graded-plain' : 'graded-signal'}>
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('policies.leg')}
        </span>
        <KeyFrame take={isTab}>
          <Select<LegCondition | 'always'>
            className="form-select"
            aria-label={text('policies.leg')}
            {...(isWrong && leg === 'product' ? { status: 'error' as const } : {})}
            value={leg ?? 'always'}
            options={(['always', ...offered] as const).map((value) => ({
              value,
              label: text(`policies.leg.${value}`),
            }))}
            onChange={(value) => onChange(value === 'always' ? null : value)}
          />
        </KeyFrame>
      </div>
      {leg === null ? null : <p className="small secondary graded-signal-help">{text(HELP[leg])}</p>}
    </div>
  );
}
