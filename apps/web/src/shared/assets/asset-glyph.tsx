import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import type { AssetState } from '@isotherm/contracts/assets';
import { LevelGlyph, UnknownGlyph, UnsetGlyph } from '../ui/level-glyph.tsx';

/**
 * Icon of a state: shape and number; nothing for an asset within limits. With `onStrip`, its colours fit a
 * background in the colour of the level.
 */
export function StateGlyph({
  state,
  size,
  onStrip = false,
}: {
  state: AssetState;
  size?: number;
  onStrip?: boolean;
}) {
  switch (state.kind) {
    case 'alarm':
      return (
        <LevelGlyph
          level={state.level}
          mode={onStrip && state.level >= 4 ? 'inverse' : 'solid'}
          size={size}
        />
      );
    case 'ended':
    case 'pending':
      return <LevelGlyph level={state.level} mode={state.kind} size={size} />;
    case 'unknown':
      return state.alarm ? (
        <LevelGlyph level={state.alarm.level} size={size} />
      ) : (
        <UnknownGlyph size={size} />
      );
    case 'expired':
      return <UnknownGlyph size={size} />;
    case 'unset':
      return <UnsetGlyph size={size} />;
    case 'normal':
      return null;
  }
}

/** Icon of an asset's worst state; nothing if it is within limits or has no sensors. */
export function AssetGlyph({ asset: { state, devices } }: { asset: ListedAsset }) {
  if (!state || (devices.length === 0 && state.kind === 'unknown')) return null;
  return <StateGlyph state={state} />;
}
