import type { Waybill } from '@isotherm/contracts/waybills';
import { useText } from '../../../shared/i18n/use-text.ts';

/** State of a waybill, and the decision about its goods. */
export function WaybillTags({
  waybill: { state, decision },
}: {
  waybill: Pick<Waybill, 'state' | 'decision'>;
}) {
  const { text } = useText();
  return (
    <>
      <span className="tag">{text(`waybills.state.${state}`)}</span>{' '}
      {decision ? <span className="tag">{text(`waybills.decision.${decision}`)}</span> : null}
    </>
  );
}

/** What is shipped: `Hepatitis B vaccine, 2400 doses`. */
export const goodsWords = (goods: Waybill['goods']): string =>
  goods
    .map(({ product, quantity, unit }) =>
      [product, [quantity, unit].filter(Boolean).join(' ')].filter(Boolean).join(', '),
    )
    .join(' · ');
