import { useCallback } from 'react';
import { type NavigateOptions, type To, useNavigate } from 'react-router';
import { useKeptPage } from './kept-page.ts';

/**
 * Navigates on behalf of the page that calls it. What a page started and finishes while it is hidden, such as
 * creating a record, does not take the reader away from the page that is open.
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
