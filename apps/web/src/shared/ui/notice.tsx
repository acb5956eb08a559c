import type { ReactNode } from 'react';
import type { PageAccess } from '../access/permissions.ts';
import { isMissing } from '../api/api-error.ts';
import { useText } from '../i18n/use-text.ts';
import { Button, buttonClass } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Placeholder for missing content: the reason, and an action (ui.md 8). */
export function Notice({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="notice">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children ? <p>{children}</p> : null}
      {action}
    </div>
  );
}

/** Link to the monitor page, shown if a record is missing. */
function MonitorLink() {
  const { text } = useText();
  return (
    <a className={buttonClass()} href="/monitor">
      {text('menu.monitor')}
    </a>
  );
}

export function FailureNotice({
  error,
  retry,
  title,
}: {
  error: unknown;
  retry: () => void;
  title?: string;
}) {
  const { text } = useText();
  return (
    <Notice
      icon="info"
      title={title ?? text('common.failure.title')}
      action={
        isMissing(error) ? <MonitorLink /> : <Button onClick={retry}>{text('common.action.retry')}</Button>
      }
    >
      {error instanceof Error ? error.message : text('common.failure.unknown')}
    </Notice>
  );
}

/** Notice instead of a page that the user may not see, or whose permissions could not be loaded. */
export function AccessNotice({ access }: { access: PageAccess }) {
  const { text } = useText();
  return access.state === 'failed' ? (
    <FailureNotice error={access.error} retry={access.retry} />
  ) : (
    <Notice icon="lock" title={text('common.denied.title')}>
      {text('common.denied.reason')}
    </Notice>
  );
}
