import './assets.css';
import Modal from 'antd/es/modal';
import type { ReactNode, RefObject } from 'react';
import { FocusReturn } from '../ui/focus-return.tsx';
import { useNarrow } from '../ui/use-narrow.ts';

const WIDTH_PX = 560;

/** The dialog that assets are chosen in; on a phone it fills the screen. Mounted while it is open. */
export function AssetModal({
  title,
  box,
  footer = null,
  onClose,
  children,
}: {
  title: string;
  /** The search, which has the focus from the beginning. */
  box: RefObject<HTMLInputElement | null>;
  footer?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const narrow = useNarrow();
  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={narrow ? '100vw' : WIDTH_PX}
        title={title}
        rootClassName="picker-dialog"
        footer={footer}
        onCancel={onClose}
        afterOpenChange={(open) => open && begin(box.current)}
      >
        {children}
      </Modal>
    </>
  );
}

/** To the search, unless somebody was quicker than the dialog and walks the tree already. */
function begin(box: HTMLElement | null): void {
  if (!box?.closest('[role="dialog"]')?.contains(document.activeElement)) box?.focus();
}
