import './labels.css';
import Modal from 'antd/es/modal';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

/** The data of a printed label. */
export interface LabelledAsset {
  id: number;
  name: string;
  code: string;
  organizationName: string;
}

/** Twice the resolution of a 300 dpi label printer. */
const QR_PX = 384;

/** Returns the address of the asset page, which a phone opens when it scans the label. */
function addressOf(assetId: number): string {
  return new URL(`/asset/${assetId}`, location.origin).href;
}

/** Dialog that prints labels with name, code and a QR code that opens the asset. */
export function LabelDialog({ assets, onClose }: { assets: readonly LabelledAsset[]; onClose: () => void }) {
  const { text } = useText();
  const [pictures, setPictures] = useState<readonly string[] | null>(null);
  useEffect(() => {
    let isShown = true;
    void import('qrcode')
      .then((qr) =>
        Promise.all(assets.map(({ id }) => qr.toDataURL(addressOf(id), { margin: 0, width: QR_PX }))),
      )
      .then((made) => isShown && setPictures(made));
    return () => {
      isShown = false;
    };
  }, [assets]);
  const labels = (pictures ?? []).map((picture, at) => {
    const asset = assets[at] as LabelledAsset;
    return (
      <figure key={asset.id} className="asset-label">
        <img src={picture} alt={text('assets.label.qr', { name: asset.name })} />
        <figcaption>
          <strong>{asset.name}</strong>
          <span>{asset.code}</span>
          <span>{asset.organizationName}</span>
        </figcaption>
      </figure>
    );
  });
  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={560}
        title={text('assets.label.title', { count: assets.length })}
        onCancel={onClose}
        footer={
          <div className="confirm-foot">
            <Button onClick={onClose}>{text('common.action.close')}</Button>
            <Button variant="primary" disabled={pictures === null} onClick={() => window.print()}>
              <Icon name="page" />
              {text('assets.label.print')}
            </Button>
          </div>
        }
      >
        <p className="secondary">{text('assets.label.means')}</p>
        <div className="label-sheet" aria-busy={pictures === null}>
          {labels}
        </div>
      </Modal>
      {createPortal(
        <div className="label-print" aria-hidden="true">
          {labels}
        </div>,
        document.body,
      )}
    </>
  );
}
