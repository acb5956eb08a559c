import './assets.css';
import Modal from 'antd/es/modal';
import type { ReactNode, RefObject } from 'react';
import { FocusReturn } from '../ui/focus-return.tsx';
import { useNarrow } from '../ui/use-narrow.ts';

const WIDTH_PX = 560;

/** Dialog that selects assets; it fills the screen of a phone. It is mounted only while it is open. */
export function AssetModal({
  title,
  box,
  footer = null,
  onClose,
  children,
}: {
  title: string;
  /** The search input, which gets the focus at first. */
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

/** Focuses the search, unless the user already navigates in the tree. */
function begin(box: HTMLElement | null): void {
  if (!box?.closest('[role="dialog"]')?.contains(document.activeElement)) box?.focus();
}
