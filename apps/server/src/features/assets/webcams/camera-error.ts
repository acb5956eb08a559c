import type { WebcamFault } from '@isotherm/domain/assets/webcam';
import { OutgoingError } from '../../../platform/outgoing/outgoing.ts';

/** Why a camera gave nothing. */
export class CameraError extends Error {
  readonly fault: WebcamFault;
  constructor(fault: WebcamFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = 'CameraError';
    this.fault = fault;
  }
}

/** What an error says about the camera; null where it is none of the camera's. */
export function faultOf(error: unknown): WebcamFault | null {
  return error instanceof CameraError || error instanceof OutgoingError ? error.fault : null;
}
