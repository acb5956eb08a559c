import './assets.css';
import Modal from 'antd/es/modal';
import type { ReactNode, RefObject } from 'react';
import { FocusReturn } from '../ui/focus-return.tsx';
import { useNarrow } from '../ui/use-narrow.ts';

const WIDTH_PX = 560;

/** Dialog for selecting assets, full screen on a phone. Mounted while it is open. */
export function AssetModal({
  title,
  box,
  footer = null,
  onClose,
  children,
}: {
  title: string;
  /** The search input, focused initially. */
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

/** Focuses the search, unless the user already moves in the tree. */
function begin(box: HTMLElement | null): void {
  if (!box?.closest('[role="dialog"]')?.contains(document.activeElement)) box?.focus();
}
