import { expect, it } from 'vitest';
import { incidentOf } from './follow-incidents';

it.each([
  ['{"incident_id":"i1","kind":"paged"}', 'i1'],
  ['{"kind":"hello"}', ''],
  ['null', ''],
  ['not json', ''],
])('finds the incident of %s', (data, id) => expect(incidentOf(data)).toBe(id));
