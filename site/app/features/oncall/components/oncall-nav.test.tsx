import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';
import { OncallNav } from './oncall-nav';

describe('OncallNav', () => {
  it.each([
    ['/oncall', 'Schedules'],
    ['/oncall/schedules/h1', 'Schedules'],
    ['/oncall/schedules/new', 'Schedules'],
    ['/oncall/policies', 'Escalation policies'],
    ['/oncall/policies/new', 'Escalation policies'],
    ['/oncall/contacts', 'My contact methods'],
  ])('marks where %s belongs', (path, word) => {
    render(
      <MemoryRouter initialEntries={[path]}>
        <OncallNav />
      </MemoryRouter>,
    );
    const marked = screen.getAllByRole('link', { current: 'page' });
    expect(marked.map((link) => link.textContent)).toEqual([word]);
  });
});
