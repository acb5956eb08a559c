import { useText } from '../i18n/use-text.ts';

export function PageSkeleton() {
  const { text } = useText();
  return (
    <div className="page" aria-busy="true">
      <span className="visually-hidden" role="status">
        {text('common.loading')}
      </span>
      <div className="skeleton skeleton-title" />
      <div className="skeleton skeleton-strip" />
      <div className="skeleton skeleton-body" />
    </div>
  );
}
