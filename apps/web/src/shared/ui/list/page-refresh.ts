import { createContext } from 'react';

/**
 * Milliseconds after which visible pages load their data again (`pageRefreshInterval` of the profile); false means
 * never. Pages that show live data have shorter intervals of their own.
 */
export const PageRefreshContext = createContext<number | false>(false);
