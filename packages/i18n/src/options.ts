/** Settings of i18next that the console and the server share: flat ids, ICU messages, no namespaces. */
export const I18N_OPTIONS = { keySeparator: false, nsSeparator: false, fallbackLng: 'en' } as const;
