import type { ReactNode } from 'react';

/** The head of a page: its name, its purpose in one line, its buttons. */
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
