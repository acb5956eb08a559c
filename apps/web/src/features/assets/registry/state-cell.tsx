import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { AssetGlyph } from '../../../shared/assets/asset-glyph.tsx';
import { isQuantity, stateTitle } from '../../../shared/assets/asset-words.ts';
import { EN_RULE, withUnit } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';

/** Table cell with the worst state of an asset and its value. */
export function StateCell({ asset }: { asset: ListedAsset }) {
  const { text } = useText();
  const { state, main, cause, silent } = asset;
  if (!state) return EN_RULE;
  const value =
    main && main.value !== null && !silent
      ? isQuantity(main)
        ? withUnit(main.indicator, main.value)
        : text(switchLabel(main.indicator, main.value))
      : null;
  return (
    <span className="row" title={stateTitle({ state, cause }, text)}>
      <AssetGlyph asset={asset} />
      {value === null ? EN_RULE : <bdi dir="ltr">{value}</bdi>}
    </span>
  );
}
