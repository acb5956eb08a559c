import { expect, it, vi } from 'vitest';
import { retryStylesheets } from './stylesheets.ts';

it('a stylesheet that could not be loaded is requested again until it is, and nothing else is', () => {
  vi.useFakeTimers();
  retryStylesheets();
  const add = (rel: string, href: string) => {
    const link = document.createElement('link');
    link.rel = rel;
    link.href = href;
    document.head.append(link);
    return link;
  };
  const fail = (link: Element | null) => link?.dispatchEvent(new Event('error'));
  const current = (href: string) => document.head.querySelectorAll(`link[href="${href}"]`);
  const styles = add('stylesheet', '/assets/help.css');
  const script = add('modulepreload', '/assets/help.js');
  const loaded = add('stylesheet', '/assets/index.css');

  let last: Element = styles;
  for (const waitMs of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]) {
    fail(last);
    vi.advanceTimersByTime(waitMs - 1);
    expect([...current('/assets/help.css')]).toEqual([last]);
    vi.advanceTimersByTime(1);
    const [again, ...others] = current('/assets/help.css');
    expect(others).toEqual([]);
    expect(again).not.toBe(last);
    last = again as Element;
  }
  fail(script);
  vi.runAllTimers();
  expect([...current('/assets/help.js')]).toEqual([script]);
  expect([...current('/assets/index.css')]).toEqual([loaded]);
  vi.useRealTimers();
});
