import { useCallback } from 'react';
import { type NavigateOptions, type To, useNavigate } from 'react-router';
import { useKeptPage } from './kept-page.ts';

/**
 * Navigates on behalf of a page. What a page completes while it is hidden, such as creating a record, does
 * not navigate the open page.
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
