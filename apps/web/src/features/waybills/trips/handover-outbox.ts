import { type HandoverInput, handOverTrip, LONGEST_WAIT_MS } from '@isotherm/contracts/waybill-trips';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { create } from 'zustand';
import { ApiError, isFinalRefusal } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { readSession } from '../../../shared/api/session.ts';
import { type HandoverStore, indexedStore, type SavedHandover } from './handover-store.ts';

/** How often the sending is tried again while something waits. */
const EVERY_MS = 15_000;
/** Sent hand-overs are kept so long, so that their page still shows that they were sent. */
const KEPT_MS = 86_400_000;
const LOCK = 'isotherm-handovers';
/** Failure of an attempt without a connection. */
export const NO_CONNECTION = 'no-connection';

let store: HandoverStore = indexedStore();

/** Replaces the storage of the browser. */
export function configureStore(next: HandoverStore): void {
  store = next;
}

export const handoverStore = (): HandoverStore => store;

/** The hand-overs in this browser, and the key of the one that is being sent. */
export const useOutbox = create<{ entries: readonly SavedHandover[]; sending: string | null }>(() => ({
  entries: [],
  sending: null,
}));

/** Returns a random key of a hand-over. `crypto.randomUUID` needs TLS, which a local installation may not have. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

async function reload(): Promise<void> {
  const entries = await store.list();
  useOutbox.setState({ entries: entries.sort((a, b) => a.signedAt - b.signedAt) });
}

async function keep(entry: SavedHandover): Promise<void> {
  await store.put(entry);
  await reload();
}

/** Saves a confirmed hand-over in this browser. Rejects if the browser cannot store it. */
export function saveHandover(
  waybill: { id: number; number: string },
  input: Omit<HandoverInput, 'ageMs'>,
  photos: readonly ArrayBuffer[],
): Promise<void> {
  return keep({
    key: input.requestKey,
    username: readSession()?.username ?? '',
    waybillId: waybill.id,
    number: waybill.number,
    signedAt: Date.now(),
    input,
    photos,
    state: 'waiting',
    failure: '',
    sentAt: null,
  });
}

/** Deletes a hand-over from this browser. */
export async function discardHandover(key: string): Promise<void> {
  await store.remove(key);
  await reload();
}

let running: Promise<void> | null = null;
let isAskedAgain = false;

/**
 * Sends what waits, one after the other and never twice at the same time, also in other tabs. The server recognises a
 * hand-over by its key, so that one whose answer was lost can be sent again. What is asked for while something is sent
 * follows it. Resolves when nothing more can be sent now.
 */
export function sendWaiting(onSent: (waybillId: number) => void): Promise<void> {
  isAskedAgain = true;
  running ??= sendInTurn(onSent);
  return running;
}

async function sendInTurn(onSent: (waybillId: number) => void): Promise<void> {
  try {
    do {
      isAskedAgain = false;
      await alone(() => sendAll(onSent));
    } while (isAskedAgain);
  } finally {
    // In the same step as the last look, so that nothing can be asked for in between.
    running = null;
    useOutbox.setState({ sending: null });
  }
}

/** Runs work if no other tab does. Without TLS browsers have no locks; then the key of the hand-over suffices. */
async function alone(work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
  });
}

async function sendAll(onSent: (waybillId: number) => void): Promise<void> {
  await reload();
  const username = readSession()?.username;
  for (const entry of useOutbox.getState().entries) {
    if (entry.state === 'sent' && Date.now() - (entry.sentAt ?? 0) > KEPT_MS)
      await discardHandover(entry.key);
    if (entry.state !== 'waiting' || entry.username !== username) continue;
    useOutbox.setState({ sending: entry.key });
    try {
      await send(entry);
    } catch (error) {
      const isRefused = isFinal(error);
      await keep({ ...entry, state: isRefused ? 'refused' : 'waiting', failure: failureOf(error) });
      // What comes later would fail for the same reason.
      if (!isRefused) return;
      continue;
    }
    // What was sent is not needed here any more, except that it was sent.
    await keep({ ...entry, photos: [], state: 'sent', failure: '', sentAt: Date.now() });
    onSent(entry.waybillId);
  }
}

async function send({ waybillId, input, photos, signedAt }: SavedHandover): Promise<void> {
  const ageMs = Math.min(LONGEST_WAIT_MS, Math.max(0, Date.now() - signedAt));
  const files = photos.map((bytes, row) => [
    `photo${row + 1}`,
    new File([bytes], `photo${row + 1}.jpg`, { type: 'image/jpeg' }),
  ]);
  await call(handOverTrip, {
    params: { id: waybillId },
    body: { handover: JSON.stringify({ ...input, ageMs }), ...Object.fromEntries(files) },
    quiet: true,
  });
}

/** Whether the server has refused the hand-over itself, so that sending it again gives the same answer. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || !isFinalRefusal(error)) return false;
  // A session that has ended, and an upload that the line cut off, say nothing about the hand-over.
  return error.httpStatus !== 401 && !/^(signature\.|request\.malformed$)/.test(error.code);
}

function failureOf(error: unknown): string {
  if (error instanceof ApiError && (error.code === 'client.network' || error.code === 'client.time-out'))
    return NO_CONNECTION;
  return error instanceof Error ? error.message : '';
}

/** Lets a hand-over that was refused wait again, and sends what waits. */
export async function tryAgain(key: string, onSent: (waybillId: number) => void): Promise<void> {
  const entry = useOutbox.getState().entries.find((each) => each.key === key);
  if (entry?.state === 'refused') await keep({ ...entry, state: 'waiting', failure: '' });
  await sendWaiting(onSent);
}

/** Returns what to do after a hand-over was sent: the pages that show waybills load them again. */
export function useOnSent(): (waybillId: number) => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['waybills'] });
}

/** Sends hand-overs in the background while the console is open. Mounted once, in the shell. */
export function useHandoverSender(): void {
  const queries = useQueryClient();
  const isWaiting = useOutbox(({ entries }) => entries.some(({ state }) => state === 'waiting'));
  useEffect(() => {
    const onSent = () => void queries.invalidateQueries({ queryKey: ['waybills'] });
    // Without storage there is nothing to send; who signs is told.
    const look = () => void sendWaiting(onSent).catch(() => undefined);
    look();
    addEventListener('online', look);
    document.addEventListener('visibilitychange', look);
    const timer = isWaiting ? setInterval(look, EVERY_MS) : undefined;
    return () => {
      removeEventListener('online', look);
      document.removeEventListener('visibilitychange', look);
      clearInterval(timer);
    };
  }, [queries, isWaiting]);
}
