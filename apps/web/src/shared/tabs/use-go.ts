import { useCallback } from 'react';
import { type NavigateOptions, type To, useNavigate } from 'react-router';
import { useKeptPage } from './kept-page.ts';

/**
 * Returns a function that navigates from a page. If the page completes a task while it is hidden, such as
 * creating a record, the open page is not navigated away.
 */
export function useGo(): (to: To, options?: NavigateOptions) => void {
  const navigate = useNavigate();
  const page = useKeptPage();
  return useCallback(
    (to, options) => {
      if (page === null || page.isOpen()) void navigate(to, options);
    },
    [navigate, page],
  );
}
