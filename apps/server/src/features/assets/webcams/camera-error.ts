import type { WebcamFault } from '@isotherm/domain/assets/webcam';
import { OutgoingError } from '../../../platform/outgoing/outgoing.ts';

/** The reason why a camera delivered nothing. */
export class CameraError extends Error {
  readonly fault: WebcamFault;
  constructor(fault: WebcamFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = 'CameraError';
    this.fault = fault;
  }
}

/** Returns the camera fault behind an error; null for any other error. */
export function faultOf(error: unknown): WebcamFault | null {
  return error instanceof CameraError || error instanceof OutgoingError ? error.fault : null;
}
