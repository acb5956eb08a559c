import './table-frame.css';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

/**
 * A plain table. On a phone each row becomes a block: the first cell is its title, the others follow with
 * the names of their columns. A table that is still too wide scrolls horizontally, also by keyboard.
 */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  const table = useRef<HTMLTableElement>(null);
  // Copies the column names to the cells, because the style sheet shows them next to the cells on a phone
  // and cannot read the table header.
  useLayoutEffect(() => {
    if (table.current) nameCells(table.current);
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer (WCAG 2.1.1).
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table ref={table} className="table">
        {children}
      </table>
    </section>
  );
}

function nameCells(table: HTMLTableElement): void {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
  for (const body of table.tBodies)
    for (const row of body.rows)
      for (const [index, cell] of [...row.cells].entries()) cell.dataset.column = names[index] ?? '';
}
