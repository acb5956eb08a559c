import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import type { AssetState } from '@isotherm/contracts/assets';
import { LevelGlyph, UnknownGlyph, UnsetGlyph } from '../ui/level-glyph.tsx';

/** A state as shape and number; nothing within limits. `onStrip` is for the coloured strip of a level. */
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
    case 'unset':
      return <UnsetGlyph size={size} />;
    case 'normal':
      return null;
  }
}

/** Worst state of a listed asset; nothing within limits or without sensors. */
export function AssetGlyph({ asset: { state, devices } }: { asset: ListedAsset }) {
  if (!state || (devices.length === 0 && state.kind === 'unknown')) return null;
  return <StateGlyph state={state} />;
}
