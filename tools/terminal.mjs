/**
 * Output of start, build and test: steps with their duration. In a terminal the line is rewritten; elsewhere
 * (CI, a pipe) a plain line is printed now and then.
 *
 * @typedef {{ update(text: string): void, done(text?: string): void }} Step
 */

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SHOWN_AFTER_MS = 400;
const FRAME_MS = 100;
const PLAIN_LINE_EVERY_MS = 5_000;

/** @param {NodeJS.WriteStream} out */
export function createTerminal(out = process.stdout) {
  // If the reader of the output ends (`npm start | head`), the server must not end.
  out.on('error', () => undefined);
  const steps = new Set();
  let shown = '';

  const erase = () => {
    if (shown) out.write('\r\x1b[K');
    shown = '';
  };
  const draw = () => {
    const step = [...steps].at(-1);
    erase();
    if (!step || Date.now() - step.startedAt < SHOWN_AFTER_MS) return;
    const frame = FRAMES[Math.floor(Date.now() / FRAME_MS) % FRAMES.length];
    shown = `${frame} ${step.text}… ${seconds(step)}`.slice(0, (out.columns || 80) - 1);
    out.write(shown);
  };
  const line = (/** @type {string} */ text) => {
    erase();
    out.write(`${text}\n`);
    if (out.isTTY) draw();
  };
  const tick = setInterval(() => {
    if (out.isTTY) return draw();
    for (const step of steps) {
      const now = Date.now();
      const due = step.saidAt === 0 ? 2_000 : PLAIN_LINE_EVERY_MS;
      if (now - Math.max(step.saidAt, step.startedAt) < due) continue;
      step.saidAt = now;
      line(`${step.text}… ${seconds(step)}`);
    }
  }, FRAME_MS);
  tick.unref();

  return {
    line,
    /** @param {string} text @returns {Step} */
    step(text) {
      const step = { text, startedAt: Date.now(), saidAt: 0 };
      steps.add(step);
      return {
        update(newText) {
          step.text = newText;
        },
        done(result) {
          if (!steps.delete(step)) return;
          if (result || Date.now() - step.startedAt >= 1_000)
            line(`✔ ${result ?? step.text} (${seconds(step)})`);
          else erase();
        },
      };
    },
    /** Clears abandoned steps. */
    clear() {
      steps.clear();
      erase();
    },
    close() {
      clearInterval(tick);
      steps.clear();
      erase();
    },
  };
}

/** @param {{ startedAt: number }} step */
function seconds(step) {
  const elapsed = (Date.now() - step.startedAt) / 1000;
  return `${elapsed < 10 ? elapsed.toFixed(1) : Math.round(elapsed)} s`;
}
