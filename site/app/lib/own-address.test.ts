import { expect, it } from 'vitest';
import { isPage, ownPath } from './own-address';

const here = location.origin;

it.each([
  [`${here}/incidents/1?view=all#top`, '/incidents/1?view=all#top'],
  [here, '/'],
  ['/services', '/services'],
  ['https://git.example/runbook', null],
  [`${here}.evil.example/incidents`, null],
  ['https://', null],
])('%s is here %s', (address, path) => expect(ownPath(address)).toBe(path));

it.each([
  ['/', true],
  ['/incidents/1', true],
  ['/oncall?view=rotations', true],
  ['/docs/alerts', false],
  ['/ack/secret', false],
  ['/v1/openapi.yaml', false],
])('%s is a page of the router: %s', (path, known) => expect(isPage(path)).toBe(known));
