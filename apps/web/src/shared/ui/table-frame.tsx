import './table-frame.css';
import type { ReactNode } from 'react';

/** A plain table that scrolls horizontally on narrow screens, also by keyboard. */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer (WCAG 2.1.1).
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table className="table">{children}</table>
    </section>
  );
}
