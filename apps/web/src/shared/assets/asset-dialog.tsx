import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import { useRef } from 'react';
import { useText } from '../i18n/use-text.ts';
import { AssetModal } from './asset-modal.tsx';
import { AssetTree } from './asset-tree.tsx';

/** Header and search of the dialog, which fills a phone's screen. */
const AROUND_PX = 166;

/** Selects one asset. Mounted while it is open. */
export function AssetDialog({
  id,
  within,
  home,
  typed = '',
  chosen,
  onTake,
  onClose,
}: {
  id?: string;
  /** Only assets of this organisation itself. */
  within?: number | undefined;
  /** Initially expanded organisation. */
  home?: number | undefined;
  /** Initial text of the search. */
  typed?: string;
  chosen?: number | undefined;
  onTake: (asset: ListedAsset) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const box = useRef<HTMLInputElement>(null);
  return (
    <AssetModal box={box} title={text('assets.picker.one')} onClose={onClose}>
      <div id={id}>
        <AssetTree
          box={box}
          within={within}
          home={home}
          typed={typed}
          aroundPx={AROUND_PX}
          one={chosen}
          onTake={onTake}
        />
      </div>
    </AssetModal>
  );
}
