import { get } from 'node:http';
import type { Brand } from '@isotherm/contracts/brands';
import type { Site } from '@isotherm/contracts/settings';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let ask: Asking['ask'];
let refusal: Asking['refusal'];
let audited: Asking['audited'];

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'scm' } });
  ({ ask, refusal, audited } = asking(server, await server.logIn('demo.platform')));
});
afterAll(() => server.stop());

describe('white-label brands', () => {
  const FORM = {
    environment: null,
    host: 'cold.example.org',
    title: 'Cold Example',
    collapsedTitle: 'CE',
    pageTitle: 'Cold </title><script>alert(1)</script>',
    copyrightEntity: 'Example Ltd',
  };
  async function site(host?: string): Promise<Site> {
    const url = new URL('/api/site', server.url);
    const answer = await new Promise<string>((resolve, reject) => {
      get(url, { headers: host ? { host } : {} }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      }).on('error', reject);
    });
    return JSON.parse(answer).data;
  }
  const png = () =>
    sharp({ create: { width: 900, height: 300, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();

  it('a new installation has the requirements’ brands: default "Overseas Cloud", scm collapsed to "SCM"', async () => {
    const brands = await ask<Brand[]>({ path: '/api/setting/website' });
    expect(brands.map((brand) => [brand.environment, brand.title, brand.collapsedTitle])).toEqual([
      [null, 'Overseas Cloud', 'Overseas Cloud'],
      ['scm', 'Overseas Cloud', 'SCM'],
      ['zeek', 'Zeek', 'Zeek'],
      ['zkscool', 'Overseas Cloud', 'SCM'],
    ]);
    expect(await site()).toMatchObject({
      environment: 'scm',
      title: 'Overseas Cloud',
      collapsedTitle: 'SCM',
      copyright: `© ${new Date().getUTCFullYear()} Overseas Cloud`,
      showAppDownload: false,
      filing: '',
      registration: false,
    });
  });

  it('the public site settings contain no secrets and nothing about the database', async () => {
    expect(JSON.stringify(await site())).not.toMatch(/secret|postgres|database/i);
  });

  it('a brand is created for a host, with a logo that is encoded again, and logged', async () => {
    const made = await ask<Brand>({ method: 'POST', path: '/api/setting/website', json: FORM });
    const logo = { name: 'logo.png', bytes: await png() };
    const { loginLogo } = await ask<Brand>({
      method: 'POST',
      path: `/api/setting/website/${made.id}/logo/login`,
      fields: { image: logo },
    });
    expect(loginLogo).toMatch(/^\/files\/images\/[0-9a-f]{32}$/);
    const image = await fetch(server.url + loginLogo);
    expect(image.headers.get('content-type')).toBe('image/webp');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    const evil = { name: 'logo.png', bytes: Buffer.from('<svg onload="alert(1)"/>') };
    expect(
      await refusal({
        method: 'POST',
        path: `/api/setting/website/${made.id}/logo/menu`,
        fields: { image: evil },
      }),
    ).toBe('upload.format');
    await ask({ method: 'DELETE', path: `/api/setting/website/${made.id}/logo/login` });
    await ask({ method: 'PUT', path: `/api/setting/website/${made.id}`, json: { ...FORM, title: 'Colder' } });
    expect(await audited('brand', made.id)).toMatchObject([
      { action: 'create' },
      { action: 'change', before: { loginLogo: '' }, after: { loginLogo } },
      { action: 'change', before: { loginLogo }, after: { loginLogo: '' } },
      { action: 'change', before: { title: 'Cold Example' }, after: { title: 'Colder' } },
    ]);
    expect(await refusal({ method: 'POST', path: '/api/setting/website', json: FORM })).toBe('brand.taken');
  });

  it('a brand is served to its host only', async () => {
    expect((await site('cold.example.org')).title).toBe('Colder');
    expect((await site('Cold.Example.org:8080')).title).toBe('Colder');
    expect((await site('cold.example.org.evil.test')).title).toBe('Overseas Cloud');
  });

  it('the default brand cannot be deleted', async () => {
    const [fallback] = await ask<Brand[]>({ path: '/api/setting/website' });
    const path = `/api/setting/website/${fallback?.id}`;
    expect(await refusal({ method: 'DELETE', path })).toBe('brand.fallback');
    expect(await refusal({ method: 'PUT', path, json: FORM })).toBe('brand.fallback');
  });

  it.each([
    ['an invalid link', { appDownloadUrl: 'javascript:alert(1)' }],
    ['a host with a path', { host: 'example.org/path' }],
    ['an unknown environment', { environment: 'staging' }],
    ['an additional field', { fallback: true }],
  ])('a brand is refused: %s', async (_name, over) => {
    const json = { ...FORM, host: 'other.example.org', ...over };
    expect(await refusal({ method: 'POST', path: '/api/setting/website', json })).toBe('request.invalid');
  });
});
