import './groups.css';
import '../../../shared/ui/form/form.css';
import { useRef, useState } from 'react';
import { AssetModal } from '../../../shared/assets/asset-modal.tsx';
import { AssetTree } from '../../../shared/assets/asset-tree.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { SavedSelections } from './saved-selections.tsx';

/** Largest number of assets that the API contract accepts. */
const MOST = 1000;
/**
 * Height of the dialog's header, search, saved selections and buttons. The dialog fills the screen of a
 * phone.
 */
const AROUND_PX = 286;

/** Dialog that selects several assets. Selections can be saved under names. */
export function AssetPicker({
  initial = [],
  most = MOST,
  submitLabel,
  onChoose,
  onClose,
}: {
  initial?: readonly number[];
  most?: number;
  submitLabel: (count: number) => string;
  onChoose: (ids: readonly number[]) => Promise<unknown> | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const box = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(initial));
  const [busy, setBusy] = useState(false);
  async function choose() {
    setBusy(true);
    try {
      await onChoose([...chosen]);
      onClose();
    } catch {
      // The API client has already shown the error; the selection is kept.
      setBusy(false);
    }
  }

  return (
    <AssetModal
      box={box}
      title={text('assets.picker.title')}
      onClose={busy ? () => undefined : onClose}
      footer={
        <div className="confirm-foot">
          <Button onClick={onClose} disabled={busy}>
            {text('common.action.cancel')}
          </Button>
          <Button
            variant="primary"
            disabled={busy || chosen.size === 0 || chosen.size > most}
            onClick={() => void choose()}
          >
            {submitLabel(chosen.size)}
          </Button>
        </div>
      }
    >
      <AssetTree box={box} aroundPx={AROUND_PX} several={chosen} onCheck={setChosen}>
        <SavedSelections chosen={chosen} onChoose={(ids) => setChosen(new Set(ids))} />
        {chosen.size > most ? (
          <p className="small" role="status">
            {text('assets.picker.most', { most })}
          </p>
        ) : null}
      </AssetTree>
    </AssetModal>
  );
}
