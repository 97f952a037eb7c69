import { useQuery } from '@tanstack/react-query';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { Checkbox } from '~/components/ui/checkbox';
import { SelectField, TextArea, TextField } from '~/components/ui/field';
import { ZoneField } from '~/components/ui/zone-field';
import { policyList } from '~/data/policies';
import { teamList } from '~/data/teams';
import type { Draft } from '../model/draft';
import * as styles from './schedule-editor.module.css';

interface ScheduleFactsProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

/** What a schedule is called, whose it is, and by which clock it goes. */
export function ScheduleFacts({ draft, onChange }: ScheduleFactsProps) {
  const teams = useQuery(teamList).data ?? [];
  const policies = useQuery(policyList).data ?? [];
  return (
    <Card title="Schedule">
      <div className={`${cardKit.pad} ${styles.editorFields}`}>
        <TextField
          label="Name"
          required
          maxLength={200}
          value={draft.name}
          placeholder="24/7 Support"
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <TextArea
          label="Description"
          optional
          rows={2}
          maxLength={4000}
          value={draft.description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
        <div className={styles.pair}>
          <SelectField
            label="Team"
            options={withNone(teams)}
            value={draft.teamId}
            onChange={(event) => onChange({ teamId: event.target.value })}
          />
          <SelectField
            label="Escalation policy"
            options={withNone(policies)}
            value={draft.policyId}
            onChange={(event) => onChange({ policyId: event.target.value })}
          />
        </div>
        <ZoneField label="Time zone" value={draft.zone} onChange={(zone) => onChange({ zone })} />
        <Checkbox checked={draft.active} onChange={(active) => onChange({ active })}>
          Active <span className="text-3">An inactive schedule pages nobody.</span>
        </Checkbox>
      </div>
    </Card>
  );
}

function withNone(list: readonly { id?: string; name?: string }[]) {
  return [
    { value: '', word: 'None' },
    ...list.map(({ id, name }) => ({ value: id ?? '', word: name ?? '' })),
  ];
}
