import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { dismissToasts } from '~/lib/toast';
import { server } from './server';

// Patience for a slow machine, not a bar; what is there is found at once.
configure({ asyncUtilTimeout: 15_000 });

// jsdom knows <dialog> but cannot open it, and has no media queries.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
};
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
vi.stubGlobal('scrollTo', () => undefined);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  dismissToasts();
  server.resetHandlers();
  localStorage.clear();
});
afterAll(() => server.close());
