import { expect, it } from 'vitest';
import { routePatterns } from './route-patterns';

it('joins nested paths, keeps parameters, and leaves out layouts and catch-alls', () => {
  const patterns = routePatterns([
    { id: 'root', path: '' },
    { id: 'landing', parentId: 'root', index: true },
    { id: 'signed-in', parentId: 'root' },
    { id: 'incident', parentId: 'signed-in', path: 'incidents/:id' },
    { id: 'incidents', parentId: 'signed-in', path: 'incidents' },
    { id: 'docs', parentId: 'root', path: 'docs/*' },
    { id: 'not-found', parentId: 'root', path: '*' },
  ]);
  expect(patterns).toEqual(['/', '/incidents', '/incidents/:id']);
});
