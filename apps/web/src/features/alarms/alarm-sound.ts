import { create } from 'zustand';

/**
 * Two falling tones, played twice. The sound differs from that of a phone and from the alarms of the
 * equipment.
 */
const TONES_HZ = [880, 660, 880, 660] as const;
const TONE_S = 0.16;
const GAP_S = 0.05;
const LOUDNESS = 0.18;

let context: AudioContext | null = null;

function soundContext(): AudioContext | null {
  if (typeof AudioContext === 'undefined') return null;
  context ??= new AudioContext();
  return context;
}

/** True while the browser blocks sound, until the user clicks or presses a key. */
export const useSoundBlocked = create<boolean>(
  () => typeof AudioContext !== 'undefined' && navigator.userActivation?.hasBeenActive === false,
);

/** Enables sound at the first user interaction, because browsers block it until then. */
export function unlockSoundOnFirstTouch(): () => void {
  const unlock = () => {
    void soundContext()?.resume();
    useSoundBlocked.setState(false, true);
    stop();
  };
  const stop = () => {
    document.removeEventListener('pointerdown', unlock);
    document.removeEventListener('keydown', unlock);
  };
  document.addEventListener('pointerdown', unlock);
  document.addEventListener('keydown', unlock);
  return stop;
}

export function playAlarmSound(): void {
  const sound = soundContext();
  if (sound?.state !== 'running') return;
  TONES_HZ.forEach((frequency, index) => {
    const start = sound.currentTime + index * (TONE_S + GAP_S);
    const tone = sound.createOscillator();
    const volume = sound.createGain();
    tone.type = 'triangle';
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.015);
    volume.gain.setValueAtTime(LOUDNESS, start + TONE_S - 0.04);
    volume.gain.linearRampToValueAtTime(0, start + TONE_S);
    tone.connect(volume).connect(sound.destination);
    tone.start(start);
    tone.stop(start + TONE_S);
  });
}
