import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Checkbox } from '~/components/ui/checkbox';
import { TextField } from '~/components/ui/field';
import { Icon } from '~/components/ui/icon';
import { SearchSelect } from '~/components/ui/search-select';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import type { useDraft } from '~/lib/draft';
import { capitalised } from '~/lib/words';
import { eventGroups, filterWords, severities, type WebhookDraft } from '../model/webhook';
import * as styles from './webhooks.module.css';

interface FieldsProps {
  of: Pick<ReturnType<typeof useDraft<unknown, WebhookDraft, object, unknown>>, 'draft' | 'set' | 'text'>;
}

/** What a webhook is called, where it calls, and what it is told of. */
export function WebhookFields({ of: { draft, set, text } }: FieldsProps) {
  const services = useQuery(serviceList).data ?? [];
  const teams = useQuery(teamList).data ?? [];
  return (
    <div className={styles.webhookForm}>
      <TextField label="Name" required maxLength={200} placeholder="Status page" {...text('name')} />
      <TextField
        label="Address"
        required
        maxLength={2000}
        placeholder="https://example.com/hooks/nightbell"
        {...text('url')}
      />
      {eventGroups.map(({ name, events }) => (
        <Choices
          key={name}
          legend={name}
          choices={events}
          chosen={draft.events}
          onChange={(chosen) => set({ events: chosen })}
        />
      ))}
      <details open={filterWords(draft) !== 'everything'}>
        <summary>
          <Icon name="chevron-right" />
          Only for <span className="text-3">{filterWords(draft)}</span>
        </summary>
        <div>
          <SearchSelect
            label="Services"
            placeholder={draft.serviceIds.length === 0 ? 'Any' : 'Add another'}
            choices={choicesOf(services)}
            chosen={chosenOf(services, draft.serviceIds)}
            onChange={(chosen) => set({ serviceIds: chosen.map(({ id }) => id) })}
          />
          <SearchSelect
            label="Teams that own them"
            placeholder={draft.teamIds.length === 0 ? 'Any' : 'Add another'}
            choices={choicesOf(teams)}
            chosen={chosenOf(teams, draft.teamIds)}
            onChange={(chosen) => set({ teamIds: chosen.map(({ id }) => id) })}
          />
          <Choices
            legend="Severities; any when none is chosen"
            choices={severities.map((one) => [one, capitalised(one)])}
            chosen={draft.severities}
            onChange={(chosen) => set({ severities: chosen })}
          />
        </div>
      </details>
    </div>
  );
}

interface ChoicesProps {
  legend: ReactNode;
  choices: readonly (readonly [value: string, words: string])[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

function Choices({ legend, choices, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className={styles.two}>
        {choices.map(([value, words]) => (
          <Checkbox
            key={value}
            checked={chosen.includes(value)}
            onChange={(on) => onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value))}
          >
            {words}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}

interface Named {
  id?: string;
  name?: string;
}

const choicesOf = (all: readonly Named[]) =>
  all.map(({ id = '', name = '' }) => ({ id, word: name, icon: 'services' as const }));

// One that is not loaded yet, or is gone, keeps its place: saving must not drop it.
const chosenOf = (all: readonly Named[], ids: readonly string[]) =>
  ids.map(
    (id) => choicesOf(all).find((one) => one.id === id) ?? { id, word: '…', icon: 'services' as const },
  );
