import { explainPacket, getPacket, listPackets, type StoredPacket } from '@isotherm/contracts/packets';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import PacketParsing from './management-packets.page.tsx';

const STORED: StoredPacket = {
  id: 5,
  receivedAt: '2026-11-20T02:00:00.000Z',
  gateway: 'tcp',
  deviceNumber: '31020201',
  organizationName: 'Minhang',
  address: '10.0.0.8',
  code: 'packet.crc',
  bytes: 4,
};
const field = (name: string, offset: number, length: number, over = {}) => ({
  name,
  level: 1,
  offset,
  length,
  value: 1,
  meaning: null,
  fault: null,
  ...over,
});
const EXPLAINED = {
  hex: 'c01d62bc',
  packets: [
    {
      kind: 'packet' as const,
      offset: 0,
      length: 4,
      fault: 'crc',
      opened: null,
      fields: [
        field('header', 0, 2, { level: 0, value: null }),
        field('sync', 0, 2),
        field('first-value', 2, 1, {
          meaning: { kind: 'quantity' as const, value: 4.9, indicator: 'temperature' as const },
        }),
        field('crc', 3, 1, { fault: 'crc' }),
      ],
    },
  ],
  omitted: 0,
};

async function page(at = '/', language: 'en' | 'zh-CN' = 'en') {
  const fake = fakeServer();
  holding(fake, 'management-packets:view');
  fake.answer(listPackets, () => ({ items: [STORED], total: 1 }));
  fake.answer(getPacket, () => ({ ...EXPLAINED, stored: STORED }));
  fake.answer(explainPacket, () => EXPLAINED);
  return { ...(await renderPage(<PacketParsing />, { at, language })), fake };
}

const chosen = () => document.querySelector('.packet-run-chosen')?.textContent;

it('pasted bytes are explained in any notation, and kept in the address', async () => {
  const { fake, search } = await page();
  await userEvent.type(await screen.findByLabelText(/Bytes \(hex\)/), '0xC0 0x1D, 62-bc');
  await userEvent.click(screen.getByRole('button', { name: 'Decode' }));
  expect(await screen.findByText('First value')).toBeTruthy();
  expect(screen.getByText('4.9 °C')).toBeTruthy();
  expect(search().get('hex')).toBe('c01d62bc');
  expect(fake.called(explainPacket)[0]?.asked.json).toEqual({ hex: 'c01d62bc' });
});

it('bytes that are too long for an address are explained, and dropped when the user goes back', async () => {
  const { search, fake } = await page();
  const long = 'c01d'.repeat(2_000);
  await userEvent.click(await screen.findByLabelText(/Bytes \(hex\)/));
  await userEvent.paste(long);
  await userEvent.click(screen.getByRole('button', { name: 'Decode' }));
  expect(await screen.findByText('First value')).toBeTruthy();
  expect(fake.called(explainPacket)[0]?.asked.json).toEqual({ hex: long });
  expect(search().get('hex')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'All packets' }));
  expect(await screen.findByText('31020201')).toBeTruthy();
});

it('invalid hex is reported without a request to the server', async () => {
  const { fake } = await page();
  await userEvent.type(await screen.findByLabelText(/Bytes \(hex\)/), 'c01');
  await userEvent.click(screen.getByRole('button', { name: 'Decode' }));
  expect(await screen.findByText(/bytes in hex, two digits each/)).toBeTruthy();
  expect(fake.called(explainPacket)).toEqual([]);
});

it('a stored message is opened with its error, and a link leads back', async () => {
  const { search } = await page();
  await userEvent.click(await screen.findByText('31020201'));
  expect(search().get('packet')).toBe('5');
  expect((await screen.findAllByText(/Checksum error/)).length).toBeGreaterThan(1);
  await userEvent.click(screen.getByRole('button', { name: 'All packets' }));
  expect(search().get('packet')).toBeNull();
});

it('fields and bytes are highlighted together, by pointer and by arrow keys', async () => {
  await page('/?packet=5');
  const row = (await screen.findByText('First value')).closest('tr') as HTMLElement;
  await userEvent.hover(row);
  expect(chosen()).toBe('62');
  const bytes = screen.getByRole('region', { name: 'Bytes' });
  await userEvent.hover(within(bytes).getByText('bc'));
  expect(screen.getByText('CRC-16', { selector: 'th' }).closest('tr')?.getAttribute('aria-current')).toBe(
    'true',
  );
  bytes.focus();
  await userEvent.keyboard('{ArrowUp}');
  expect(chosen()).toBe('62');
  // A field with nested fields highlights the bytes of all of them.
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(chosen()).toBe('c01d');
});

it("the explanation appears in the user's language", async () => {
  await page('/?packet=5', 'zh-CN');
  expect(await screen.findByText('首个值')).toBeTruthy();
});
