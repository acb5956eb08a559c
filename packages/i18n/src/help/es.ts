import pages from '../../help/es/pages.json' with { type: 'json' };
import { type Help, joinHelp } from './help.ts';

/** The help in this language, as one chunk of the console that is loaded when somebody opens it. */
export const help: Help = joinHelp(
  pages,
  import.meta.glob('../../help/es/*.md', { eager: true, query: '?raw', import: 'default' }),
);
