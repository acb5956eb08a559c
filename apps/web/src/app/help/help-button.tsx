import { subjectOf } from '@isotherm/domain/help/subjects';
import { lazy, Suspense, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

const HelpDrawer = lazy(() => import('./help-drawer.tsx'));

/** The `?` of a page: what it shows, what to do first, and what to watch out for. */
export function HelpButton({ page, title }: { page: string | undefined; title: string }) {
  const { text } = useText();
  const [open, setOpen] = useState(false);
  if (page === undefined || subjectOf(page) === null) return null;
  return (
    <>
      <Button
        variant="quiet"
        icon
        className="help-button"
        aria-label={text('help.about', { page: title })}
        title={text('help.about', { page: title })}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Icon name="help" />
      </Button>
      {open ? (
        <Suspense>
          <HelpDrawer page={page} title={title} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
