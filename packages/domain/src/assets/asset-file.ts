/** What the papers and pictures of an asset are. */
export const FILE_KINDS = ['certificate', 'manual', 'photo', 'other'] as const;
export type FileKind = (typeof FILE_KINDS)[number];
