import { describe, expect, test } from 'vitest';
import {
  readAttributeRequest,
  readGatewayAttributeRequest,
  readGatewayDevice,
  readGatewayRpcAnswer,
  readRpcMethod,
} from './thingsboard-requests.ts';

const keys = (...names: string[]) => new Set(names);

describe("a device's request for attributes", () => {
  test.each([
    ['both scopes', { clientKeys: 'a,b', sharedKeys: 'c' }, { client: keys('a', 'b'), shared: keys('c') }],
    ['one scope', { sharedKeys: 'fw_version' }, { client: keys(), shared: keys('fw_version') }],
    ['spaces and empty names', { clientKeys: ' a , ,b,' }, { client: keys('a', 'b'), shared: keys() }],
    ['arrays', { clientKeys: ['a', 1, ''] }, { client: keys('a'), shared: keys() }],
    ['neither scope', {}, { client: 'all', shared: 'all' }],
    ['another type', { clientKeys: 7 }, { client: keys(), shared: keys() }],
    ['text', 'a,b', null],
    ['an array', [], null],
  ])('the request is read correctly: %s', (_name, payload, asked) => {
    expect(readAttributeRequest(payload)).toEqual(asked);
  });
});

describe("a gateway's request for attributes of a device", () => {
  test.each([
    [
      'lists for both scopes',
      { id: 1, device: 'A', client: ['a'], shared: ['b'] },
      { id: 1, device: 'A', asked: { client: keys('a'), shared: keys('b') }, isSingle: false },
    ],
    [
      'a list for one scope',
      { id: 1, device: 'A', shared: ['b'] },
      { id: 1, device: 'A', asked: { client: keys(), shared: keys('b') }, isSingle: false },
    ],
    [
      'one client attribute',
      { id: 2, device: 'A', client: true, key: 'a' },
      { id: 2, device: 'A', asked: { client: keys('a'), shared: keys() }, isSingle: true },
    ],
    [
      'several shared attributes',
      { id: 3, device: 'A', client: false, keys: ['a', 'b'] },
      { id: 3, device: 'A', asked: { client: keys(), shared: keys('a', 'b') }, isSingle: false },
    ],
    ['a number given as text', { id: '1', device: 'A', shared: ['b'] }, null],
    ['a number with decimals', { id: 1.5, device: 'A', shared: ['b'] }, null],
    ['no device', { id: 1, shared: ['b'] }, null],
    ['text', 'A', null],
  ])('the request is read correctly: %s', (_name, payload, request) => {
    expect(readGatewayAttributeRequest(payload)).toEqual(request);
  });
});

test.each([
  [{ device: 'A', type: 'default' }, 'A'],
  [{ device: 7 }, null],
  [null, null],
])('the device name is read from %j', (payload, device) => {
  expect(readGatewayDevice(payload)).toBe(device);
});

test.each([
  [
    { device: 'A', id: 1, data: { success: true } },
    { device: 'A', id: 1, data: { success: true } },
  ],
  [{ id: 1, data: {} }, null],
])("a gateway's answer to a command is read from %j", (payload, answer) => {
  expect(readGatewayRpcAnswer(payload)).toEqual(answer);
});

test.each([
  [{ method: 'getCurrentTime', params: {} }, 'getCurrentTime'],
  [{ params: {} }, null],
  ['getCurrentTime', null],
])('the method of a call is read from %j', (payload, method) => {
  expect(readRpcMethod(payload)).toBe(method);
});
