import { Button } from '~/components/ui/button';
import { type Option, SelectField } from '~/components/ui/field';
import { type BoardFilter, chosen, nobody, priorityOf } from '../model/board';
import { holder, type Incident } from '../model/incident';
import * as styles from './incident-board.module.css';

const severities = ['critical', 'high', 'medium', 'low'];

interface BoardFiltersProps {
  /** Whose services and people are offered. */
  incidents: readonly Incident[];
  filter: BoardFilter;
  view: 'open' | 'closed';
  onChange: (change: Record<string, string>) => void;
}

/** What narrows the table besides its text: status, severity, service and who has it. */
export function BoardFilters({ incidents, filter, view, onChange }: BoardFiltersProps) {
  const field = (name: keyof BoardFilter, label: string, options: readonly Option[]) => (
    <SelectField
      label={label}
      options={[{ value: '', word: 'All' }, ...options]}
      value={filter[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
  return (
    <div className={styles.filters}>
      {view === 'open' &&
        field('status', 'Status', [
          { value: 'triggered', word: 'Triggered' },
          { value: 'acknowledged', word: 'Acknowledged' },
        ])}
      {field(
        'severity',
        'Severity',
        severities.map((value) => ({
          value,
          word: `${priorityOf(value)} ${value.charAt(0).toUpperCase()}${value.slice(1)}`,
        })),
      )}
      {field(
        'service',
        'Service',
        named(
          incidents.map(({ serviceId: id, serviceName: name }) => ({ id, name })),
          filter.service,
        ),
      )}
      {field('assignee', 'Assignee', [
        { value: nobody, word: 'Unassigned' },
        ...named(
          incidents.map((one) => holder(one) ?? { id: '', name: '' }),
          filter.assignee === nobody ? '' : filter.assignee,
        ),
      ])}
      {chosen(filter) > 0 && (
        <Button
          look="quiet"
          onClick={() => onChange({ status: '', severity: '', service: '', assignee: '' })}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

// Each name once, in order; what is chosen stays on offer when no incident has it any more.
function named(all: readonly { id: string; name: string }[], kept: string): Option[] {
  const names = new Map(all.filter(({ id }) => id !== '').map(({ id, name }) => [id, name]));
  if (kept !== '' && !names.has(kept)) names.set(kept, 'Chosen before');
  return [...names]
    .map(([value, word]) => ({ value, word }))
    .toSorted((a, b) => a.word.localeCompare(b.word));
}
