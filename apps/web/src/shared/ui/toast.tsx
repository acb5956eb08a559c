import { useSyncExternalStore } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Requirements §9: toasts can be closed and disappear after 2 s. */
const STAYS_MS = 2000;

interface Toast {
  id: number;
  kind: 'failure' | 'success';
  message: string;
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(kind: Toast['kind'], message: string): void {
  if (toasts.some((each) => each.message === message)) return;
  const id = nextId++;
  publish([...toasts, { id, kind, message }]);
  setTimeout(() => dismiss(id), STAYS_MS);
}

function dismiss(id: number): void {
  publish(toasts.filter((each) => each.id !== id));
}

export function dismissToasts(): void {
  publish([]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const { text } = useText();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" aria-live="polite">
      {shown.map(({ id, kind, message }) => (
        <div key={id} className={`toast toast-${kind}`} role={kind === 'failure' ? 'alert' : 'status'}>
          <Icon name={kind === 'failure' ? 'info' : 'check'} />
          <span>{message}</span>
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('common.action.close')}
            onClick={() => dismiss(id)}
          >
            <Icon name="close" small />
          </Button>
        </div>
      ))}
    </div>
  );
}
