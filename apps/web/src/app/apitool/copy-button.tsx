import { useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const SAYS_SO_MS = 1500;

export function CopyButton({ label, content }: { label: string; content: string }) {
  const { text } = useText();
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(content);
      setDone(true);
      setTimeout(() => setDone(false), SAYS_SO_MS);
    } catch {
      // Browsers allow access to the clipboard only on secure (HTTPS) pages.
      toast('failure', text('apitool.copy-failed'));
    }
  }
  return (
    <Button size="small" onClick={() => void copy()}>
      <Icon name={done ? 'check' : 'copy'} />
      {done ? text('apitool.copied') : label}
    </Button>
  );
}
