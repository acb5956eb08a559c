import { findMosquitto } from '@isotherm/testkit/mosquitto';

/** Global setup of `npm run test:broker`, which needs a real broker. */
export default function setup(): void {
  if (findMosquitto() === null)
    throw new Error('Mosquitto is not installed on this machine: nothing was tested.');
}
