import { useEffect } from 'react';
import { create } from 'zustand';

/** The last word of the breadcrumb when it is a thing's own name and not the page's. */
export const useCrumb = create<{ title: string | null }>(() => ({ title: null }));

export function useCrumbTitle(title: string | undefined): void {
  useEffect(() => {
    useCrumb.setState({ title: title ?? null });
    return () => useCrumb.setState({ title: null });
  }, [title]);
}
