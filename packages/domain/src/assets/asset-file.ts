/** Kinds of documents of an asset. */
export const FILE_KINDS = ['certificate', 'manual', 'photo', 'other'] as const;
export type FileKind = (typeof FILE_KINDS)[number];
