import { afterEach, beforeEach, expect, vi } from 'vitest';

/**
 * A vitest setup file. A test that writes to console.error or console.warn fails, so that warnings of React
 * and Node.js are fixed. For unhandled rejections, vitest itself fails the run.
 */
const said: string[] = [];

beforeEach(() => {
  said.length = 0;
  for (const method of ['error', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      said.push(words.map(asText).join(' '));
    });
  }
});

afterEach(() => {
  vi.mocked(console.error).mockRestore();
  vi.mocked(console.warn).mockRestore();
  expect(said, 'written to the console').toEqual([]);
});

function asText(word: unknown): string {
  return word instanceof Error ? (word.stack ?? word.message) : String(word);
}
