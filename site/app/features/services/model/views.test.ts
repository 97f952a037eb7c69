import { describe, expect, it } from 'vitest';
import { inView, lacks, viewOf } from './views';

const whole = {
  id: 'whole',
  owner: { name: 'Mara' },
  repo_url: 'https://example.org/repo',
  open_incident_count: 2,
};
const bare = { id: 'bare', team: { name: '' }, open_incident_count: 0 };

describe('the views of the services', () => {
  it('All Services leaves none out', () => {
    expect(inView([whole, bare], 'all')).toEqual([whole, bare]);
  });

  it('Configurations keeps those whose setup lacks something, and says what', () => {
    expect(inView([whole, bare], 'configurations')).toEqual([bare]);
    expect(lacks(bare)).toEqual(['Owner', 'Repo']);
    expect(lacks({ ...whole, owner: undefined, team: { name: 'Payments' } })).toEqual([]);
  });

  it('Incidents keeps those with open incidents', () => {
    expect(inView([whole, bare], 'incidents')).toEqual([whole]);
  });

  it('is named by the address; an unknown word is all', () => {
    expect(['incidents', 'configurations', 'x', null].map(viewOf)).toEqual([
      'incidents',
      'configurations',
      'all',
      'all',
    ]);
  });
});
