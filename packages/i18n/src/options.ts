/** i18next settings that web and server share: flat ids, ICU messages, no namespaces. */
export const I18N_OPTIONS = { keySeparator: false, nsSeparator: false, fallbackLng: 'en' } as const;
