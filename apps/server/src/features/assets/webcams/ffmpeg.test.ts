import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pictureOfVideo } from './ffmpeg.ts';

it('only one snapshot of video is taken at a time, with at most the pixels of an 8K picture', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-ffmpeg-'));
  try {
    const [program, log] = ['program', 'log'].map((name) => join(folder, name)) as [string, string];
    const wait = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done';
    writeFileSync(program, `#!/bin/sh\necho "in $*" >> ${log}; ${wait}; echo out >> ${log}; printf x\n`);
    chmodSync(program, 0o755);
    await Promise.all([1, 2, 3].map(() => pictureOfVideo(program, Buffer.from('video'))));
    const said = readFileSync(log, 'utf8').trim().split('\n');
    expect(said.map((line) => line.split(' ')[0])).toEqual(['in', 'out', 'in', 'out', 'in', 'out']);
    expect(said[0]).toContain('-max_pixels 33177600 -i pipe:0');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
