import { expect, it } from 'vitest';
import { ANNOUNCEMENT_STATES, type AnnouncementAction, mayDo, organizationLine } from './announcement.ts';

const ACTIONS: readonly AnnouncementAction[] = ['edit', 'delete', 'publish', 'cancel', 'recall'];

it('an announcement is edited and deleted as a draft only, and recalled once it was published', () => {
  const allowed = ANNOUNCEMENT_STATES.map((state) => [
    state,
    ACTIONS.filter((action) => mayDo(state, action)).join(' '),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    draft: 'edit delete publish',
    scheduled: 'cancel',
    published: 'recall',
    recalled: '',
  });
});

it.each([
  ['/1/', [1]],
  ['/1/4/12/', [1, 4, 12]],
])('the path %s names its organisations', (path, ids) => {
  expect(organizationLine(path)).toEqual(ids);
});
