import { describe, expect, it } from 'vitest';
import { chooseBrand } from './choose-brand.ts';

const brand = (name: string, environment: string | null, host: string | null) => ({
  name,
  environment,
  host,
});
const ALL = [
  brand('fallback', null, null),
  brand('scm', 'scm', null),
  brand('host', null, 'cold.example.org'),
  brand('both', 'scm', 'cold.example.org'),
];

describe('brand for an environment and a host', () => {
  it.each([
    ['both match', 'scm', 'cold.example.org', 'both'],
    ['the host has priority over the environment', 'zeek', 'cold.example.org', 'host'],
    ['only the environment matches', 'scm', 'other.example.org', 'scm'],
    ['neither', 'production', 'other.example.org', 'fallback'],
    ['host names ignore case', 'production', 'Cold.Example.ORG', 'host'],
    ['a longer host name does not match', 'production', 'cold.example.org.evil.test', 'fallback'],
  ])('the brand is chosen by environment and host: %s', (_name, environment, host, wanted) => {
    expect(chooseBrand(ALL, environment, host)?.name).toBe(wanted);
    expect(chooseBrand([...ALL].reverse(), environment, host)?.name).toBe(wanted);
  });
  it('no brand is chosen if there is none', () => {
    expect(chooseBrand([], 'scm', 'cold.example.org')).toBeUndefined();
  });
});
