import { type Random, uniform } from '../random.ts';

/**
 * Returns an invalid message: truncated, of another format, with wrong types, out of range, or with wrong
 * times. The last kind contains one valid reading, `value` of the first probe, among invalid ones; the
 * server must store the valid one.
 */
export function garbageMessage(kind: number, atMs: number, value: number, random: Random): Buffer {
  const reading = (over: Record<string, unknown>) => ({ channel: 'temperature-1', at: atMs, value, ...over });
  const json = (readings: unknown) => Buffer.from(JSON.stringify({ readings }));
  const kinds: (() => Buffer)[] = [
    () => Buffer.from('{"readings":[{"channel":"temperature-1","at":17'),
    () => Buffer.from(Array.from({ length: 64 }, () => Math.floor(uniform(random) * 256))),
    () => Buffer.alloc(0),
    () => Buffer.from('[]'),
    () => json('none'),
    () => json([reading({ channel: 'temperature-9' })]),
    () => json([reading({ value: '5,1' })]),
    () => Buffer.from(`{"readings":[{"channel":"temperature-1","at":${atMs},"value":1e999}]}`),
    () => json([reading({ value: 850 })]),
    () => json([reading({ at: atMs + 366 * 86_400_000 })]),
    () => json([reading({ at: '1999-12-31T23:59:59Z' })]),
    () => json([reading({ at: 'yesterday' })]),
    () => json([null, 42, reading({ value: null }), reading({})]),
  ];
  return (kinds[kind % kinds.length] ?? kinds[0]!)();
}
