/** States of an announcement. Once published, its text is not changed any more: it can only be recalled. */
export const ANNOUNCEMENT_STATES = ['draft', 'scheduled', 'published', 'recalled'] as const;
export type AnnouncementState = (typeof ANNOUNCEMENT_STATES)[number];

/** `cancel` returns a scheduled announcement to its draft. */
export type AnnouncementAction = 'edit' | 'delete' | 'publish' | 'cancel' | 'recall';

const ALLOWED: Readonly<Record<AnnouncementState, readonly AnnouncementAction[]>> = {
  draft: ['edit', 'delete', 'publish'],
  scheduled: ['cancel'],
  published: ['recall'],
  recalled: [],
};

/** Returns whether an action is allowed in a state. */
export function mayDo(state: AnnouncementState, action: AnnouncementAction): boolean {
  return ALLOWED[state].includes(action);
}

/** Returns the ids of an organisation and those above it, from its path such as `/1/4/`. */
export function organizationLine(path: string): number[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(Number);
}
