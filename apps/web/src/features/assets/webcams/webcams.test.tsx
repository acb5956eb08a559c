import {
  beginWebcamSession,
  endWebcamSession,
  listWebcamSnapshots,
  listWebcams,
  offerToWebcam,
  readWebcamFrames,
  readWebcamStream,
  takeWebcamSnapshot,
  type Webcam,
  type WebcamSnapshot,
} from '@isotherm/contracts/webcams';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { AlarmPictures } from './alarm-pictures.tsx';
import { AssetCamera } from './asset-camera.tsx';
import { signedLoader } from './hls-loader.ts';

const CAMERA: Webcam = {
  id: 7,
  organizationId: 1,
  organizationName: 'Head office',
  name: 'Door',
  kind: 'mjpeg',
  address: '',
  accountId: null,
  accountName: '',
  assetId: 3,
  assetName: 'Fridge',
  snapshotMinutes: null,
  snapshotAtAlarm: true,
  play: 'mjpeg',
  checkedAt: null,
  fault: null,
  snapshotId: null,
  snapshotAt: null,
  changedBy: 'demo.manager',
  changedAt: '2026-11-20T01:30:00.000Z',
};
const FAILED: WebcamSnapshot = {
  id: 5,
  webcamId: 7,
  webcamName: 'Door',
  cause: 'alarm',
  alarmId: 9,
  takenBy: '',
  wantedAt: '2026-11-20T01:30:00.000Z',
  takenAt: null,
  fault: 'timed_out',
};

const ICE_SERVERS = [{ urls: ['turn:turn.example'], username: '1:webcam-7', credential: 'x' }];

async function cameras(items: Webcam[], at = '/', permissions = ['view', 'snapshot']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((each) => `asset-webcams:${each}`));
  fake.answer(listWebcams, () => ({ items, total: items.length }));
  fake.answer(listWebcamSnapshots, () => ({ items: [FAILED], total: 1 }));
  fake.answer(
    readWebcamFrames,
    () => new Refusal('webcam.unauthorized', 'The camera refuses the password.', 422),
  );
  fake.answer(beginWebcamSession, () => ({ iceServers: ICE_SERVERS }));
  fake.answer(offerToWebcam, () => ({ sdp: 'v=0 answer', session: 'sealed' }));
  fake.answer(endWebcamSession, () => null);
  const drawn = await renderPage(<AssetCamera assetId={3} />, { at });
  return { ...drawn, fake };
}

it.each([
  ['an asset without a camera', [], '/'],
  ['a camera that was deleted', [CAMERA], '/?webcam=99'],
])(
  'for %s the page shows the message that the webcam does not exist or none is selected',
  async (_words, items, at) => {
    await cameras(items, at);
    expect(await screen.findByText('Webcam does not exist or none selected')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Webcams' }).getAttribute('href')).toBe('/asset/webcams');
  },
);

it('a user without access sees a message, and no camera is requested', async () => {
  const { fake } = await cameras([CAMERA], '/', []);
  expect(await screen.findByText("You don't have access to this list")).toBeTruthy();
  expect(fake.called(listWebcams)).toEqual([]);
});

it("the server's error message replaces the video, with a retry button", async () => {
  const { fake } = await cameras([CAMERA]);
  expect(await screen.findByText('The camera refuses the password.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(fake.called(readWebcamFrames)).toHaveLength(2));
});

it('an RTSP camera without a gateway shows a message and requests nothing', async () => {
  const { fake } = await cameras([{ ...CAMERA, kind: 'rtsp', play: null }]);
  expect(await screen.findByText(/RTSP requires a media gateway/)).toBeTruthy();
  expect(fake.called(readWebcamFrames)).toEqual([]);
});

it('one of several cameras can be selected, and a failed snapshot shows its reason', async () => {
  const { fake, search } = await cameras([CAMERA, { ...CAMERA, id: 8, name: 'Ramp' }]);
  fake.answer(takeWebcamSnapshot, () => FAILED);
  await userEvent.click(await screen.findByRole('button', { name: 'Ramp' }));
  expect(search().get('webcam')).toBe('8');
  await userEvent.click(screen.getByRole('button', { name: 'Take a picture' }));
  await waitFor(() => expect(fake.called(takeWebcamSnapshot)[0]?.asked.path).toContain('/8/snapshot'));
  expect((await screen.findAllByText('The camera did not respond in time.')).length).toBeGreaterThan(0);
});

it('snapshots of an alarm are requested only if the user has the permission', async () => {
  const fake = fakeServer();
  holding(fake);
  await renderPage(<AlarmPictures alarmId={9} />);
  expect(fake.called(listWebcamSnapshots)).toEqual([]);
  cleanup();
  holding(fake, 'asset-webcams:view');
  fake.answer(listWebcamSnapshots, () => ({ items: [FAILED], total: 1 }));
  await renderPage(<AlarmPictures alarmId={9} />);
  expect(await screen.findByText('Alarm pictures')).toBeTruthy();
  expect(fake.called(listWebcamSnapshots)[0]?.asked.query.get('alarmId')).toBe('9');
});

it('the player loads segments and byte ranges by signed requests, and receives refusals', async () => {
  const fake = fakeServer();
  await renderPage(null);
  fake.answer(readWebcamStream, () => new Refusal('webcam.unreachable', 'Gone.', 422));
  const stats = () => ({ aborted: false, loading: { start: 0, first: 0, end: 0 } }) as never;
  const loader = new (signedLoader(7, stats))();
  const context = {
    url: 'https://console.example/api/asset-webcam/7/hls?part=abc',
    responseType: 'arraybuffer',
    rangeStart: 10,
    rangeEnd: 20,
  };
  const fault = await new Promise<{ code: number; text: string }>((resolve) => {
    loader.load(context as never, {} as never, { onError: resolve } as never);
  });
  expect(fault).toEqual({ code: 422, text: 'Gone.' });
  expect(Object.fromEntries(fake.called(readWebcamStream)[0]?.asked.query ?? [])).toEqual({
    part: 'abc',
    from: '10',
    to: '19',
  });
});

/** A mock of the browser's peer connection that gathers its ICE candidates immediately. */
class Peer extends EventTarget {
  static made: Peer[] = [];
  readonly configuration: RTCConfiguration;
  connectionState = 'new';
  readonly iceGatheringState = 'complete';
  localDescription: { sdp: string } | null = null;
  readonly close = vi.fn();
  readonly addTransceiver = vi.fn();
  readonly setRemoteDescription = vi.fn(() => Promise.resolve());
  constructor(configuration: RTCConfiguration) {
    super();
    this.configuration = configuration;
    Peer.made.push(this);
  }
  createOffer = () => Promise.resolve({ type: 'offer', sdp: 'v=0 offer' });
  setLocalDescription = async (description: { sdp: string }) => {
    this.localDescription = description;
  };
}

it('WHEP uses the ICE servers from the server, and its session ends when the page closes or the connection fails', async () => {
  vi.stubGlobal('RTCPeerConnection', Peer);
  vi.stubGlobal('MediaStream', class {});
  const { fake } = await cameras([{ ...CAMERA, kind: 'whep', play: 'whep' }]);
  const connected = async (count: number) => {
    await waitFor(() => expect(Peer.made).toHaveLength(count));
    const peer = Peer.made.at(-1) as Peer;
    await waitFor(() => expect(peer.setRemoteDescription).toHaveBeenCalled());
    return peer;
  };
  const ended = () => fake.called(endWebcamSession).map(({ asked }) => asked.json);
  const first = await connected(1);
  expect(first.configuration).toEqual({ iceServers: ICE_SERVERS });
  expect(fake.called(offerToWebcam)[0]?.asked.json).toEqual({ sdp: 'v=0 offer' });
  expect(first.setRemoteDescription).toHaveBeenCalledWith({ type: 'answer', sdp: 'v=0 answer' });
  first.connectionState = 'failed';
  first.dispatchEvent(new Event('connectionstatechange'));
  expect(await screen.findByText('The camera cannot be reached.')).toBeTruthy();
  await waitFor(() => expect(ended()).toEqual([{ session: 'sealed' }]));
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  const second = await connected(2);
  window.dispatchEvent(new Event('pagehide'));
  expect(second.close).toHaveBeenCalled();
  await waitFor(() => expect(ended()).toHaveLength(2));
  vi.unstubAllGlobals();
});
