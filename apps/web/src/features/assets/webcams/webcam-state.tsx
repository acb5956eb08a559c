import './webcams.css';
import type { Webcam } from '@isotherm/contracts/webcams';
import { useText } from '../../../shared/i18n/use-text.ts';

/** State of the camera at the last check. */
export function WebcamState({ webcam: { fault, checkedAt, play } }: { webcam: Webcam }) {
  const { text } = useText();
  const wrong = fault ?? (play === null ? 'no_gateway' : null);
  if (wrong) return <span className="tag webcam-wrong">{text(`errors.webcam.${wrong}`)}</span>;
  return <span className="tag">{text(checkedAt ? 'webcams.state.working' : 'webcams.state.unknown')}</span>;
}
