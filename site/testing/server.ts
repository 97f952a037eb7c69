import { setupServer } from 'msw/node';

/** The network of every test. Each test says what answers; anything else fails it. */
export const server = setupServer();
