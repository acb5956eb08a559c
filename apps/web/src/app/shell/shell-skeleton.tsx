import './shell.css';
import { readCookie } from '../../shared/api/cookies.ts';
import { BrandMark } from '../../shared/ui/icon.tsx';
import { PageSkeleton } from '../../shared/ui/page-skeleton.tsx';
import { useSite } from '../site-context.ts';

/** Placeholder of the layout while the menu is loading. */
export function ShellSkeleton() {
  const site = useSite();
  const collapsed = readCookie('sidebar') === 'collapsed';
  return (
    <div className={`shell${collapsed ? ' shell-collapsed' : ''}`}>
      <aside className="sidebar">
        <div className="site-brand">
          <BrandMark />
          {collapsed ? null : <span>{site.title}</span>}
        </div>
      </aside>
      <header className="navbar" />
      <main className="main">
        <PageSkeleton />
      </main>
    </div>
  );
}
