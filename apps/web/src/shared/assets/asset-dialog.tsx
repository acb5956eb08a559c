import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import { useRef } from 'react';
import { useText } from '../i18n/use-text.ts';
import { AssetModal } from './asset-modal.tsx';
import { AssetTree } from './asset-tree.tsx';

/** Height of the dialog's header and search. The dialog fills the screen of a phone. */
const AROUND_PX = 166;

/** Dialog that selects one asset. It is mounted only while it is open. */
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
  /** If set, only assets that belong directly to this organisation are offered. */
  within?: number | undefined;
  /** Organisation that is expanded at first. */
  home?: number | undefined;
  /** Text that the search contains at first. */
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
