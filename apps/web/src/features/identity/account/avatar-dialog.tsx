import '../../../shared/ui/form/form.css';
import 'react-easy-crop/react-easy-crop.css';
import './account.css';
import { AVATAR_MAX_BYTES, IMAGE_EXTENSIONS } from '@isotherm/contracts/fields';
import Modal from 'antd/es/modal';
import { useId, useRef, useState } from 'react';
import Cropper, { type Area } from 'react-easy-crop';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { useAccountChanges } from './account.queries.ts';
import { avatarFault } from './avatar-fault.ts';

const MEGABYTE = 1024 * 1024;
/** Side of the uploaded image in pixels. It is larger than displayed; the server scales the image down. */
const SIDE_PX = 512;
const MAX_ZOOM = 4;

/** Dialog that selects an image, previews the circular crop, and uploads it. */
export function AvatarDialog({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const changes = useAccountChanges();
  const zoomId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const picture = useObjectUrl(file);
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<Area | null>(null);
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);

  function choose(chosen: File | undefined) {
    if (!chosen) return;
    const extension = chosen.name.toLowerCase().split('.').pop() ?? '';
    setFault('');
    if (!IMAGE_EXTENSIONS.some((each) => each === extension)) setFault(text('account.avatar.format'));
    else if (chosen.size > AVATAR_MAX_BYTES)
      setFault(text('account.avatar.too-large', { size: AVATAR_MAX_BYTES / MEGABYTE }));
    else {
      setFile(chosen);
      setZoom(1);
      setCrop({ x: 0, y: 0 });
    }
  }

  async function send() {
    if (!picture || !area) return;
    setBusy(true);
    setFault('');
    try {
      await changes.setAvatar(await cut(picture, area));
      toast('success', text('account.avatar.done'));
      onClose();
    } catch (error) {
      setFault(avatarFault(error, text));
      setBusy(false);
    }
  }
  return (
    <Modal
      open
      width={440}
      title={text('account.avatar.title')}
      rootClassName="confirm"
      onCancel={busy ? () => undefined : onClose}
      footer={
        <div className="confirm-foot">
          <Button onClick={onClose} disabled={busy}>
            {text('common.action.cancel')}
          </Button>
          <Button variant="primary" disabled={busy || !area || !picture} onClick={() => void send()}>
            {text(busy ? 'common.saving' : 'common.action.save')}
          </Button>
        </div>
      }
    >
      {picture ? (
        <>
          <div className="account-crop">
            <Cropper
              image={picture}
              crop={crop}
              zoom={zoom}
              maxZoom={MAX_ZOOM}
              aspect={1}
              cropShape="round"
              showGrid={false}
              disableAutomaticStylesInjection
              onCropChange={setCrop}
              onZoomChange={setZoom}
              onCropComplete={(_, pixels) => setArea(pixels)}
              mediaProps={{
                onError: () => {
                  setFile(null);
                  setFault(text('account.avatar.unreadable'));
                },
              }}
            />
          </div>
          <label className="field-label account-zoom" htmlFor={zoomId}>
            {text('account.avatar.zoom')}
            <input
              id={zoomId}
              type="range"
              min={1}
              max={MAX_ZOOM}
              step={0.05}
              value={zoom}
              onChange={(event) => setZoom(Number(event.target.value))}
            />
          </label>
        </>
      ) : null}
      <Button disabled={busy} onClick={() => input.current?.click()}>
        <Icon name="upload" />
        {text(picture ? 'account.avatar.other' : 'account.avatar.choose')}
      </Button>
      <p className="form-help">{text('account.avatar.limits', { size: AVATAR_MAX_BYTES / MEGABYTE })}</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={text('account.avatar.choose')}
        accept={IMAGE_EXTENSIONS.map((extension) => `.${extension}`).join()}
        onChange={(event) => {
          choose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <div role="alert">
        {fault ? (
          <div className="form-banner">
            <Icon name="info" />
            <span>{fault}</span>
          </div>
        ) : null}
      </div>
    </Modal>
  );
}

async function cut(picture: string, area: Area): Promise<File> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SIDE_PX;
  canvas.height = SIDE_PX;
  const context = canvas.getContext('2d');
  context?.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, SIDE_PX, SIDE_PX);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('the browser gives no picture');
  return new File([blob], 'avatar.png', { type: 'image/png' });
}
