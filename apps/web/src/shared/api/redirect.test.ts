import { expect, it } from 'vitest';
import { redirectTarget, safeRedirect } from './redirect.ts';

it.each([
  [null, '/'],
  ['', '/'],
  ['/monitor?state=alarm#x', '/monitor?state=alarm#x'],
  ['https://evil.example/', '/'],
  ['/.//evil.example/phish', '/'],
  ['/..//evil.example', '/'],
  ['/a/../..//evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/login?redirect=%2Flogin', '/'],
  ['javascript:alert(1)', '/'],
])('a login with the redirect %j opens %s', (wish, path) => {
  expect(safeRedirect(wish)).toBe(path);
});

it.each([
  ['/redirect/alarm/current?show=open', '/alarm/current?show=open'],
  ['/redirect/redirect/monitor', '/redirect/monitor'],
  ['/redirect//evil.example', '/'],
  ['/redirect/', '/'],
])('the reload address %s opens %s again', (address, path) => {
  expect(redirectTarget(new URL(address, 'https://console.example'))).toBe(path);
});
