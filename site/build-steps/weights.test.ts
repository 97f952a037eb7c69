import { expect, it } from 'vitest';
import { faults, type Manifest } from './weights';

const manifest: Manifest = {
  entry: { module: 'entry', imports: ['kit'] },
  routes: {
    root: { id: 'root', module: 'root', imports: ['kit'] },
    'routes/landing': { id: 'routes/landing', parentId: 'root', module: 'landing', imports: ['kit'] },
    'routes/signed-in': {
      id: 'routes/signed-in',
      parentId: 'root',
      module: 'frame',
      imports: ['kit', 'data'],
    },
    'routes/users': {
      id: 'routes/users',
      parentId: 'routes/signed-in',
      module: 'users',
      imports: ['kit', 'data', 'table'],
      clientLoaderModule: 'loader',
    },
  },
};
const light = { entry: 2, kit: 100, root: 1, landing: 20, frame: 5, data: 40, users: 8, table: 6, loader: 1 };
const front = { '/assets/front-a1.js': 2 };

function said(kB: Record<string, number>, own = 3): string[] {
  return faults(manifest, new Map(Object.entries(kB).map(([file, size]) => [file, size * 1000])), own * 1000);
}

it('counts a file once, and what the page before it has brought not at all', () => {
  expect(said({ ...light, ...front })).toEqual([]);
});

it('names what weighs too much', () => {
  expect(said({ ...light, '/assets/front-a1.js': 6 })).toEqual([
    'The landing page sends 6.0 kB of JavaScript; at most 5 is allowed',
  ]);
  expect(said({ ...light, landing: 30 })).toEqual([
    'A button of the landing page sends 136.0 kB of JavaScript; at most 128 is allowed',
  ]);
  expect(said({ ...light, data: 41 })).toEqual([
    'The workspace sends 46.0 kB of JavaScript; at most 45 is allowed',
  ]);
  expect(said({ ...light, loader: 2 })).toEqual([
    'routes/users sends 16.0 kB of JavaScript; at most 15 is allowed',
  ]);
});
