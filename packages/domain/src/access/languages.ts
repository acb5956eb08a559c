/** Languages of the product (requirements §1). */
export const LANGUAGE_CODES = ['en', 'es', 'zh-CN', 'zh-TW'] as const;
