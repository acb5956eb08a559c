import { describe, expect, it } from 'vitest';
import {
  gatewayPath,
  givesSnapshots,
  isCameraAddress,
  isOfAccount,
  playOf,
  type WebcamKind,
} from './webcam.ts';

describe('the address of a camera', () => {
  it.each<[WebcamKind, string, boolean]>([
    ['hls', 'https://cam.example/live/index.m3u8', true],
    ['mjpeg', 'http://192.168.1.20:8080/video', true],
    ['whep', 'https://[2001:db8::7]/whep', true],
    ['rtsp', 'rtsp://cam.example:554/ch1', true],
    ['rtsp', 'rtsps://cam.example/ch1', true],
    ['rtsp', 'http://cam.example/', false],
    ['hls', 'rtsp://cam.example/', false],
    ['hls', 'file:///etc/passwd', false],
    ['hls', 'gopher://cam.example/', false],
    ['mjpeg', 'http://user@cam.example/', false],
    ['mjpeg', 'http://:secret@cam.example/', false],
    ['rtsp', 'rtsp:///ch1', false],
    ['hls', 'cam.example/live', false],
    ['hls', '', false],
  ])('for the kind %s, the address %s is valid: %s', (kind, address, is) => {
    expect(isCameraAddress(kind, address)).toBe(is);
  });
});

describe('the check that a password is sent only to the address of its account', () => {
  it.each([
    ['https://cam.example/live', 'https://cam.example', true],
    ['https://cam.example:443/live', 'https://cam.example/portal', true],
    ['https://CAM.example/live', 'https://cam.example', true],
    ['https://cam.example:8443/live', 'https://cam.example', false],
    ['http://cam.example/live', 'https://cam.example', false],
    ['https://cam.example.evil.example/live', 'https://cam.example', false],
    ['rtsp://cam.example:554/ch1', 'http://cam.example:8080', true],
    ['rtsp://CAM.example:554/ch1', 'http://cam.example:8080', true],
    ['rtsp://other.example/ch1', 'http://cam.example', false],
    ['nonsense', 'http://cam.example', false],
    ['http://cam.example', 'nonsense', false],
  ])('the address %s belongs to the account %s: %s', (address, account, is) => {
    expect(isOfAccount(address, account)).toBe(is);
  });
});

it.each<[WebcamKind, boolean, string | null]>([
  ['hls', false, 'hls'],
  ['mjpeg', false, 'mjpeg'],
  ['whep', false, 'whep'],
  ['rtsp', true, 'hls'],
  ['rtsp', false, null],
])('a camera of the kind %s, with a gateway %s, is played as %s', (kind, hasGateway, play) => {
  expect(playOf(kind, hasGateway)).toBe(play);
});

it("all kinds but WHEP support snapshots, and the gateway's path contains the camera's number", () => {
  expect((['hls', 'mjpeg', 'rtsp', 'whep'] as const).filter(givesSnapshots)).toEqual([
    'hls',
    'mjpeg',
    'rtsp',
  ]);
  expect(gatewayPath(7)).toBe('webcam-7');
});
