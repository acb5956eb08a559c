import { configure } from '@testing-library/react';

/** What is awaited comes at once on a machine with nothing else to do, and a little later on a busy one. */
configure({ asyncUtilTimeout: 5_000 });
