import { describe, expect, it } from 'vitest';
import { entryOf } from './entry.ts';

const at = (pathname: string, search = '') => ({ pathname, search, hash: '' });
const nobody = { exists: false, stepDue: false };
const somebody = { exists: true, stepDue: false };
const newcomer = { exists: true, stepDue: true };

describe('the part of the console that is loaded for an address', () => {
  it.each([
    ['an anonymous user at the login', at('/login'), nobody, { show: 'login' }],
    [
      'an anonymous user at a page',
      at('/asset/8', '?tab=rules'),
      nobody,
      { goTo: '/login?redirect=%2Fasset%2F8%3Ftab%3Drules' },
    ],
    [
      'an anonymous user at the address that reloads a page',
      at('/redirect/monitor', '?state=alarm'),
      nobody,
      { goTo: '/login?redirect=%2Fmonitor%3Fstate%3Dalarm' },
    ],
    ['an anonymous user at an unknown page', at('/404'), nobody, { show: 'not-found' }],
    ['the setup link of an empty installation', at('/setup', '?token=1'), nobody, { show: 'setup' }],
    [
      'the setup link with an old session in the browser',
      at('/setup', '?token=1'),
      somebody,
      { show: 'setup' },
    ],
    ['a user with a session at a page', at('/monitor'), somebody, { show: 'console' }],
    ['a user with a session at the login', at('/login'), somebody, { goTo: '/' }],
    [
      'a user with a session at the login with a redirect',
      at('/login', '?redirect=%2Falarm%2Fcurrent'),
      somebody,
      { goTo: '/alarm/current' },
    ],
    [
      'a user with a session at the login with a redirect to another host',
      at('/login', '?redirect=%2F%2Fevil.example'),
      somebody,
      { goTo: '/' },
    ],
    [
      'a user with a one-time password at a page',
      at('/monitor'),
      newcomer,
      { goTo: '/login?redirect=%2Fmonitor' },
    ],
    ['a user with a one-time password at the login', at('/login'), newcomer, { show: 'login' }],
  ])('the right part is loaded for %s', (_, address, session, entry) => {
    expect(entryOf(address, session, { offersApp: true })).toEqual(entry);
  });

  it.each([
    ['/register', 'register'],
    ['/registered', 'registered'],
    ['/map/replay/shared', 'link'],
    ['/appdownload', 'app-download'],
    ['/apitool', 'api-tool'],
    ['/link/abc', 'link'],
    ['/verify/abc', 'link'],
  ] as const)('the page %s needs no login', (path, show) => {
    for (const session of [nobody, somebody, newcomer])
      expect(entryOf(at(path), session, { offersApp: true })).toEqual({ show });
  });

  it('the app download is off unless the brand enables it', () => {
    expect(entryOf(at('/appdownload'), nobody, { offersApp: false })).toEqual({ goTo: '/404' });
  });
});
