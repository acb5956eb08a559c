import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { readsTags, readTag } from './read-tag.ts';

/** Button that waits for a tag. It is hidden if the browser cannot read tags. */
export function ScanButton({ onRead }: { onRead: (uid: string) => void }) {
  const { text } = useText();
  const waiting = useRef<AbortController | null>(null);
  const [scanning, setScanning] = useState(false);
  useEffect(() => () => waiting.current?.abort(), []);
  if (!readsTags()) return null;
  async function scan() {
    const controller = new AbortController();
    waiting.current = controller;
    setScanning(true);
    try {
      onRead(await readTag(controller.signal));
    } catch {
      if (!controller.signal.aborted) toast('failure', text('assets.nfc.refused'));
    } finally {
      setScanning(false);
      // The reader runs until it is aborted.
      controller.abort();
    }
  }
  return scanning ? (
    <Button onClick={() => waiting.current?.abort()}>
      <Icon name="close" />
      {text('assets.nfc.hold')} {text('common.action.cancel')}
    </Button>
  ) : (
    <Button onClick={() => void scan()}>
      <Icon name="search" />
      {text('assets.nfc.scan')}
    </Button>
  );
}
