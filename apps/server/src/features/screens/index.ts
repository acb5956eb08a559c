export { createScreens } from './screens.service.ts';
