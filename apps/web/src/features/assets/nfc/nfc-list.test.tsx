import { bindNfcTag, findNfcTag, listNfcTags, type NfcTag } from '@isotherm/contracts/asset-nfc';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import NfcList from './asset-nfc.page.tsx';

const TAG: NfcTag = {
  uid: '04A22B1C9D5E80',
  assetId: 7,
  assetName: 'Fridge 7',
  assetCode: 'F-7',
  organizationName: 'Head office',
  boundBy: 'demo.admin',
  boundAt: '2026-11-20T01:30:00.000Z',
};

async function page(at = '/nfc') {
  const fake = fakeServer();
  holding(fake, 'asset-nfc:view', 'asset-nfc:edit');
  fake.answer(listNfcTags, () => ({ items: [TAG], total: 1 }));
  fake.answer(findNfcTag, () => TAG);
  const drawn = await renderPage(<NfcList />, { at, path: '/nfc' });
  await screen.findByText('Fridge 7');
  return { ...drawn, fake };
}

/** Simulates a phone that reads the tag immediately. */
function aReader(serialNumber: string) {
  vi.stubGlobal(
    'NDEFReader',
    class extends EventTarget {
      async scan() {
        this.dispatchEvent(Object.assign(new Event('reading'), { serialNumber }));
      }
    },
  );
}

it('a typed UID opens its asset, and no scan button appears if the browser cannot read tags', async () => {
  const { fake, router } = await page();
  expect(screen.queryByRole('button', { name: 'Scan' })).toBeNull();
  const open = screen.getByRole('button', { name: 'Open the asset' });
  expect(open.hasAttribute('disabled')).toBe(true);
  fireEvent.change(screen.getByLabelText('UID'), { target: { value: '04:a2:2b:1c:9d:5e:80' } });
  await userEvent.click(open);
  await waitFor(() => expect(router.state.location.pathname).toBe('/asset/7'));
  expect(fake.called(findNfcTag)).toHaveLength(1);
});

it('a scanned tag opens its asset', async () => {
  aReader('04:a2:2b:1c:9d:5e:80');
  const { fake, router } = await page();
  await userEvent.click(screen.getByRole('button', { name: 'Scan' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/asset/7'));
  expect(fake.called(findNfcTag)[0]?.asked.path).toContain('/04A22B1C9D5E80');
});

it('a scanned tag is bound to an asset, and the asset is required', async () => {
  aReader('04:a2:2b:1c');
  const { fake } = await page('/nfc?new=1');
  const form = within(await screen.findByRole('dialog'));
  await userEvent.click(form.getByRole('button', { name: 'Scan' }));
  await waitFor(() => expect(form.getByLabelText<HTMLInputElement>(/UID/).value).toBe('04:a2:2b:1c'));
  await userEvent.click(form.getByRole('button', { name: 'Bind tag' }));
  expect(await form.findByText('Required.')).toBeTruthy();
  expect(fake.called(bindNfcTag)).toEqual([]);
});
