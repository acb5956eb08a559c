import { useText } from '../../shared/i18n/use-text.ts';
import { Notice } from '../../shared/ui/notice.tsx';

export function NotFoundPage() {
  const { text } = useText();
  return (
    <Notice
      icon="search"
      title={text('common.not-found.title')}
      action={
        <a className="button button-primary" href="/">
          {text('common.not-found.home')}
        </a>
      }
    >
      {text('common.not-found.reason')}
    </Notice>
  );
}
