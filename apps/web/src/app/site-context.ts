import type { Site } from '@isotherm/contracts/settings';
import { createContext, useContext } from 'react';

/** Brand and settings of this installation. */
export const SiteContext = createContext<Site | null>(null);

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (!site) throw new Error('the console is rendered without its site');
  return site;
}
