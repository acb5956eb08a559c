import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import { LevelGlyph, UnknownGlyph } from '../ui/level-glyph.tsx';

/** The worst that is true of a listed asset; nothing where it is within limits or nothing watches it. */
export function AssetGlyph({ asset: { state, devices } }: { asset: ListedAsset }) {
  if (state?.kind === 'unknown') return devices.length > 0 ? <UnknownGlyph /> : null;
  return state?.kind === 'alarm' || state?.kind === 'pending' ? (
    <LevelGlyph level={state.level} mode={state.kind === 'pending' ? 'pending' : 'solid'} />
  ) : null;
}
