import type { ServiceJson } from '@nightbell/proto';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextArea, TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { FetchFailed, Loading } from '~/components/ui/states';
import { Submit } from '~/components/ui/submit';
import { memberList } from '~/data/members';
import { policyList } from '~/data/policies';
import { useSaveService } from '~/data/service-changes';
import { serviceDetail, serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { useDraft } from '~/lib/draft';
import {
  type EditedService,
  groupings,
  serviceWords,
  tiers,
  toEdited,
  trimmed,
} from '../model/service-words';

/** Changes what a service is called, whose it is and what pages for it. */
export function EditServiceDialog({ service, onClose }: { service: ServiceJson; onClose: () => void }) {
  const [teams, members, policies] = [useQuery(teamList), useQuery(memberList), useQuery(policyList)];
  const services = useQuery(serviceList);
  // A list that is not there yet would clear what it should offer.
  const waiting = [teams, members, policies, services].find(({ data }) => !data);
  if (waiting)
    return (
      <Dialog title="Edit service" saving={false} onClose={onClose}>
        <div className={dialogKit.body}>
          {waiting.isPending && <Loading what="teams, people and policies" />}
          <FetchFailed of={waiting}>Failed to load what can be chosen</FetchFailed>
        </div>
      </Dialog>
    );
  return (
    <ServiceForm
      service={toEdited(service)}
      teams={toOptions(teams.data)}
      people={toOptions(members.data)}
      policies={toOptions(policies.data)}
      services={toOptions(services.data).filter(({ value }) => value !== service.id)}
      onClose={onClose}
    />
  );
}

interface Option {
  value: string;
  word: string;
}

function toOptions(list: readonly { id?: string; name?: string }[] = []): Option[] {
  return list.map(({ id = '', name = '' }) => ({ value: id, word: name }));
}

function toChoice({ value, word }: Option): Choice {
  return { id: value, word, icon: 'services' };
}

interface ServiceFormProps {
  service: EditedService;
  teams: Option[];
  people: Option[];
  policies: Option[];
  services: Option[];
  onClose: () => void;
}

function ServiceForm({ service, teams, people, policies, services, onClose }: ServiceFormProps) {
  const client = useQueryClient();
  const nameOf = (id: string) =>
    [...teams, ...people, ...policies, ...services].find(({ value }) => value === id)?.word ?? 'another';
  const edit = useDraft({
    stored: service,
    draftOf: (stored) => stored,
    request: trimmed,
    save: useSaveService(),
    onSaved: onClose,
    fetchNow: async () => toEdited(await client.query({ ...serviceDetail(service.id), staleTime: 0 })),
    words: () => serviceWords(nameOf),
  });
  const { draft, set, text } = edit;
  return (
    <Dialog title="Edit service" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        <TextField label="Name" required maxLength={200} {...text('name')} />
        <TextArea label="Description" optional rows={2} maxLength={4000} {...text('description')} />
        <div className={dialogKit.sideBySide}>
          <SelectField
            label="Team"
            options={[{ value: '', word: 'No team' }, ...teams]}
            {...text('team_id')}
          />
          <SelectField
            label="Owner"
            options={[{ value: '', word: 'Nobody' }, ...people]}
            {...text('owner_id')}
          />
        </div>
        <SelectField
          label="Escalation policy"
          options={[{ value: '', word: 'Default policy' }, ...policies]}
          {...text('escalation_policy_id')}
        />
        <TextField
          label="Repo"
          optional
          type="url"
          maxLength={2000}
          placeholder="https://github.com/acme/checkout"
          {...text('repo_url')}
        />
        <TextField
          label="Runbook"
          optional
          type="url"
          maxLength={2000}
          placeholder="https://wiki.acme.example/runbooks/checkout"
          {...text('runbook_url')}
        />
        <SearchSelect
          label="Depends on"
          choices={services.map(toChoice)}
          chosen={services.filter(({ value }) => draft.depends_on_ids.includes(value)).map(toChoice)}
          onChange={(chosen) => set({ depends_on_ids: chosen.map(({ id }) => id).toSorted() })}
          placeholder="Add a service"
        />
        <div className={dialogKit.sideBySide}>
          <SelectField
            label="Tier"
            options={tiers}
            value={String(draft.tier)}
            onChange={(event) => set({ tier: Number(event.target.value) })}
          />
          <SelectField label="Grouping" options={groupings} {...text('grouping')} />
        </div>
        <Submit size="lg" pending={edit.pending} doing="Saving service...">
          Save service
        </Submit>
        <p className={dialogKit.note}>Another policy counts for incidents that open from then on.</p>
      </DraftForm>
    </Dialog>
  );
}
