import { getRouterInfo, type RouteObject } from '@isotherm/contracts/settings';
import { MENU } from '@isotherm/domain/access/menu';
import { HELP_SUBJECT_NAMES } from '@isotherm/domain/help/subjects';
import { LANGUAGES } from '@isotherm/i18n/languages';
import { QueryClient } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import HelpPage from './help.page.tsx';
import { helpQuery } from './help.queries.ts';
import { HelpButton } from './help-button.tsx';
import HelpSubjectPage from './help-subject.page.tsx';
import { Markdown } from './markdown.tsx';

const MENU_ROUTES: RouteObject[] = MENU.map((group) => ({
  ...group,
  meta: { title: `menu.${group.name}` },
  children: group.children.map((page) => ({
    ...page,
    meta: { title: `menu.${page.name}` },
    children: undefined,
  })),
})) as unknown as RouteObject[];

beforeEach(() => {
  const fake = fakeServer();
  fake.answer(getRouterInfo, () => MENU_ROUTES);
});

describe('the ? of a page', () => {
  it('opens three sentences and a link to the subject, and returns the focus', async () => {
    const user = userEvent.setup();
    const { router } = await renderPage(<HelpButton page="alarm-current" title="Current alarms" />, {
      at: '/alarm/current',
    });
    const button = screen.getByRole('button', { name: 'Help: Current alarms' });
    await user.click(button);
    await screen.findByText('Alarms that are still active, and alarms that ended but were not acknowledged.');
    for (const part of ['What this page shows', 'What to do first', 'What to watch out for'])
      expect(screen.getByText(part)).toBeTruthy();
    await user.click(screen.getByRole('link', { name: 'Read more: Alarms' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/help/alarms'));
  });

  it('is missing for an entry that is no page of the catalogue', async () => {
    await renderPage(<HelpButton page="handbook" title="Handbook" />);
    expect(screen.queryByRole('button')).toBeNull();
  });
});

test('the contents list every subject, and are filtered by a text that a subject contains', async () => {
  const user = userEvent.setup();
  const { search } = await renderPage(<HelpPage />, { at: '/help', path: '/help' });
  await screen.findByRole('link', { name: /Policies and limits/ });
  expect(screen.getAllByRole('listitem')).toHaveLength(HELP_SUBJECT_NAMES.length);
  await user.type(screen.getByPlaceholderText('Search help'), 'pre-paid geofence');
  await screen.findByRole('button', { name: 'Clear filters' });
  await user.clear(screen.getByPlaceholderText('Search help'));
  await user.type(screen.getByPlaceholderText('Search help'), 'geofence');
  await waitFor(() => expect(search().get('q')).toBe('geofence'));
  await screen.findByRole('link', { name: /Maps/ });
  await waitFor(() => expect(screen.queryByRole('link', { name: /Your account/ })).toBeNull());
});

test('a subject shows its text and the pages that it explains; an unknown one leads to the contents', async () => {
  const { unmount } = await renderPage(<HelpSubjectPage />, { at: '/help/maps', path: '/help/:subject' });
  await screen.findByRole('heading', { name: 'Geofences' });
  expect(await screen.findAllByRole('link', { name: 'Replay' })).toHaveLength(2);
  unmount();
  await renderPage(<HelpSubjectPage />, { at: '/help/submarines', path: '/help/:subject' });
  expect(await screen.findByRole('link', { name: 'All help subjects' })).toBeTruthy();
});

test.each([...LANGUAGES])('the chunk of %s has all subjects', async (language) => {
  const { subjects } = await new QueryClient().fetchQuery(helpQuery(language));
  expect(Object.keys(subjects)).toEqual([...HELP_SUBJECT_NAMES]);
  for (const text of Object.values(subjects)) expect(text).toMatch(/^# /);
});

test('Markdown draws known elements only: neither HTML, scripts, images nor links to other hosts', () => {
  const { container } = render(
    <MemoryRouter>
      <Markdown
        text={[
          '# Title',
          '## Part',
          'A **bold** *word*, `Esc`, [page](/monitor), [out](https://evil.example), [bad](javascript:alert(1)), [host](//evil.example).',
          '<script>alert(1)</script> <img src=x onerror=alert(1)> ![x](https://evil.example/x.png)',
          '<div onclick="alert(1)">block</div>',
          '- one\n- two',
          '1. first',
          '| a | b |\n|---|---|\n| 1 | 2 |',
        ].join('\n\n')}
      />
    </MemoryRouter>,
  );
  expect(container.querySelectorAll('script, img, iframe, [onclick], [onerror]')).toHaveLength(0);
  expect([...container.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['/monitor']);
  expect(container.querySelectorAll('li')).toHaveLength(3);
  expect(container.querySelectorAll('td')).toHaveLength(2);
  expect(container.textContent).toContain('<script>alert(1)</script>');
});
