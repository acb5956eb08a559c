import pages from '../../help/zh-CN/pages.json' with { type: 'json' };
import { type Help, joinHelp } from './help.ts';

/** The help in this language, as one chunk of the console that is loaded when somebody opens it. */
export const help: Help = joinHelp(
  pages,
  import.meta.glob('../../help/zh-CN/*.md', { eager: true, query: '?raw', import: 'default' }),
);
