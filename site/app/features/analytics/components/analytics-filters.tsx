import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '~/components/ui/checkbox';
import { SelectField, TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { type Length, lengthParams, lengths, type View } from '../model/period';
import * as styles from './analytics-filters.module.css';

interface AnalyticsFiltersProps {
  view: View;
  /** Changes what the address says; an empty value takes a parameter out. */
  onChange: (change: Record<string, string>) => void;
}

/** Which days, compared or not, and of whom. */
export function AnalyticsFilters({ view, onChange }: AnalyticsFiltersProps) {
  const services = useQuery(serviceList).data ?? [];
  const teams = useQuery(teamList).data ?? [];
  const options = (all: string, list: readonly { id?: string; name?: string }[]) => [
    { value: '', word: all },
    ...list
      .map(({ id = '', name = '' }) => ({ value: id, word: name }))
      .toSorted((a, b) => a.word.localeCompare(b.word)),
  ];
  return (
    <div className={styles.filters}>
      <Segmented<Length>
        label="Period"
        className={styles.lengths}
        choices={[
          ...lengths.map((days) => ({ value: days, content: `${days} days` })),
          { value: 'custom', content: 'Custom' },
        ]}
        value={view.length}
        onChoose={(length) => onChange(lengthParams(length, view, new Date()))}
      />
      {view.length === 'custom' && (
        <div className={styles.custom}>
          <TextField
            label="First day"
            type="date"
            value={view.from}
            error={view.problem ?? undefined}
            onChange={(event) => onChange({ from: event.target.value, to: view.to || event.target.value })}
          />
          <TextField
            label="Last day"
            type="date"
            value={view.to}
            onChange={(event) => onChange({ to: event.target.value, from: view.from || event.target.value })}
          />
        </div>
      )}
      <SelectField
        label="Team"
        options={options('Every team', teams)}
        value={view.team}
        onChange={(event) => onChange({ team: event.target.value })}
      />
      <SelectField
        label="Service"
        options={options('Every service', services)}
        value={view.service}
        onChange={(event) => onChange({ service: event.target.value })}
      />
      <div className={styles.compare}>
        <Checkbox checked={view.compare} onChange={(on) => onChange({ compare: on ? '' : 'off' })}>
          Compare with the days before
        </Checkbox>
      </div>
    </div>
  );
}
