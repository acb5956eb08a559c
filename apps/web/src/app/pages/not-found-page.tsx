import { useText } from '../../shared/i18n/use-text.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { Notice } from '../../shared/ui/notice.tsx';

export function NotFoundPage() {
  const { text } = useText();
  return (
    <Notice
      icon="search"
      title={text('common.not-found.title')}
      action={
        <a className={buttonClass({ variant: 'primary' })} href="/">
          {text('common.not-found.home')}
        </a>
      }
    >
      {text('common.not-found.reason')}
    </Notice>
  );
}
