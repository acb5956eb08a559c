import type { ReactNode } from 'react';

/** Header of a page: title, purpose in one line, buttons. */
export function PageHead({
  title,
  purpose,
  children,
}: {
  title: string;
  purpose?: string;
  children?: ReactNode;
}) {
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {purpose ? <span className="page-head-lead">{purpose}</span> : null}
      {children ? <div className="page-head-tools">{children}</div> : null}
    </div>
  );
}
