import {
  beginWebcamSession,
  createWebcam,
  createWebcamAccount,
  deleteWebcam,
  deleteWebcamAccount,
  editWebcam,
  editWebcamAccount,
  endWebcamSession,
  getWebcam,
  listWebcamAccounts,
  listWebcamSnapshots,
  listWebcams,
  offerToWebcam,
  readWebcamFrames,
  readWebcamSnapshot,
  readWebcamStream,
  takeWebcamSnapshot,
  testWebcam,
} from '@isotherm/contracts/webcams';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AccountsService } from './accounts.service.ts';
import type { LiveService } from './live.service.ts';
import type { SnapshotsService } from './snapshots.service.ts';
import type { WebcamsService } from './webcams.service.ts';

export function mountWebcams(
  mount: Mount,
  services: {
    webcams: WebcamsService;
    accounts: AccountsService;
    live: LiveService;
    snapshots: SnapshotsService;
  },
): void {
  const { webcams, accounts, live, snapshots } = services;
  mount(listWebcams, ({ caller, query }) => webcams.list(caller, query));
  mount(getWebcam, ({ caller, params }) => webcams.get(caller, params.id));
  mount(createWebcam, ({ caller, body }) => webcams.create(caller, body));
  mount(editWebcam, ({ caller, params, body }) => webcams.edit(caller, params.id, body));
  mount(deleteWebcam, ({ caller, params, body }) => webcams.remove(caller, params.id, body.reason));
  mount(testWebcam, ({ caller, params }) => webcams.test(caller, params.id));

  mount(readWebcamStream, ({ caller, params, query }) => live.stream(caller, params.id, query));
  mount(readWebcamFrames, ({ caller, params }) => live.frames(caller, params.id));
  mount(beginWebcamSession, ({ caller, params }) => live.beginSession(caller, params.id));
  mount(offerToWebcam, ({ caller, params, body }) => live.offer(caller, params.id, body.sdp));
  mount(endWebcamSession, ({ caller, params, body }) => live.endSession(caller, params.id, body.session));

  mount(listWebcamSnapshots, ({ caller, query }) => snapshots.list(caller, query));
  mount(readWebcamSnapshot, ({ caller, params }) => snapshots.read(caller, params.id));
  mount(takeWebcamSnapshot, ({ caller, params }) => snapshots.takeNow(caller, params.id));

  mount(listWebcamAccounts, ({ caller, query }) => accounts.list(caller, query));
  mount(createWebcamAccount, ({ caller, body }) => accounts.create(caller, body));
  mount(editWebcamAccount, ({ caller, params, body }) => accounts.edit(caller, params.id, body));
  mount(deleteWebcamAccount, ({ caller, params, body }) => accounts.remove(caller, params.id, body.reason));
}
