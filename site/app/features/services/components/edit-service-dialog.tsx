import type { ServiceJson } from '@nightbell/proto';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextArea, TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { FetchFailed, Loading } from '~/components/ui/states';
import { memberList } from '~/data/members';
import { policyList } from '~/data/policies';
import { useSaveService } from '~/data/service-changes';
import { serviceDetail, serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { reasonOf } from '~/lib/api';
import { isConflict, onTop, theirChanges } from '~/lib/edits';
import { type EditedService, groupings, serviceWords, tiers, toEdited } from '../model/service-words';

/** Changes what a service is called, whose it is and what pages for it. */
export function EditServiceDialog({ service, onClose }: { service: ServiceJson; onClose: () => void }) {
  const [teams, members, policies] = [useQuery(teamList), useQuery(memberList), useQuery(policyList)];
  const services = useQuery(serviceList);
  // A list that is not there yet would clear what it should offer.
  const waiting = [teams, members, policies, services].find(({ data }) => !data);
  if (waiting)
    return (
      <Dialog title="Edit service" onClose={onClose}>
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
  const save = useSaveService();
  const client = useQueryClient();
  // What the fields began as, the version they are based on, and what was refused beside what is stored.
  const [shown, setShown] = useState(service);
  const [base, setBase] = useState(service);
  const [needs, setNeeds] = useState(service.depends_on_ids);
  const [conflict, setConflict] = useState<{ mine: EditedService; theirs: EditedService } | null>(null);
  const nameOf = (id: string) =>
    [...teams, ...people, ...policies, ...services].find(({ value }) => value === id)?.word ?? 'another';
  const refused = async (mine: EditedService, error: Error) => {
    if (!isConflict(error)) return;
    const stored = await client.query({ ...serviceDetail(service.id), staleTime: 0 });
    setConflict({ mine, theirs: toEdited(stored) });
  };
  const goOn = (from: EditedService, theirs: EditedService) => {
    setShown(from);
    setNeeds(from.depends_on_ids);
    setBase(theirs);
    setConflict(null);
    save.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const mine: EditedService = {
      ...base,
      name: text('name'),
      description: text('description'),
      team_id: text('team'),
      owner_id: text('owner'),
      escalation_policy_id: text('policy'),
      repo_url: text('repo'),
      runbook_url: text('runbook'),
      depends_on_ids: needs,
      tier: Number(text('tier')),
      grouping: text('grouping'),
    };
    save.mutate(mine, { onSuccess: onClose, onError: (error) => void refused(mine, error) });
  };
  return (
    <Dialog title="Edit service" onClose={onClose}>
      <form key={base.etag} onSubmit={submit}>
        {conflict && (
          <EditConflict
            changes={theirChanges(serviceWords(nameOf), base, conflict.theirs, conflict.mine)}
            onKeepMine={() => goOn(onTop(base, conflict.mine, conflict.theirs), conflict.theirs)}
            onTakeTheirs={() => goOn(conflict.theirs, conflict.theirs)}
          />
        )}
        {save.isError && !conflict && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        <TextField label="Name" name="name" required maxLength={200} defaultValue={shown.name} />
        <TextArea
          label="Description"
          optional
          name="description"
          rows={2}
          maxLength={4000}
          defaultValue={shown.description}
        />
        <div className={dialogKit.sideBySide}>
          <SelectField
            label="Team"
            name="team"
            options={[{ value: '', word: 'No team' }, ...teams]}
            defaultValue={shown.team_id}
          />
          <SelectField
            label="Owner"
            name="owner"
            options={[{ value: '', word: 'Nobody' }, ...people]}
            defaultValue={shown.owner_id}
          />
        </div>
        <SelectField
          label="Escalation policy"
          name="policy"
          options={[{ value: '', word: 'Default policy' }, ...policies]}
          defaultValue={shown.escalation_policy_id}
        />
        <TextField
          label="Repo"
          optional
          name="repo"
          type="url"
          maxLength={2000}
          placeholder="https://github.com/acme/checkout"
          defaultValue={shown.repo_url}
        />
        <TextField
          label="Runbook"
          optional
          name="runbook"
          type="url"
          maxLength={2000}
          placeholder="https://wiki.acme.example/runbooks/checkout"
          defaultValue={shown.runbook_url}
        />
        <SearchSelect
          label="Depends on"
          choices={services.map(toChoice)}
          chosen={services.filter(({ value }) => needs.includes(value)).map(toChoice)}
          onChange={(chosen) => setNeeds(chosen.map(({ id }) => id).toSorted())}
          placeholder="Add a service"
        />
        <div className={dialogKit.sideBySide}>
          <SelectField label="Tier" name="tier" options={tiers} defaultValue={String(shown.tier)} />
          <SelectField label="Grouping" name="grouping" options={groupings} defaultValue={shown.grouping} />
        </div>
        <Button
          type="submit"
          look="primary"
          size="lg"
          disabled={save.isPending}
          labels={['Saving service...']}
        >
          {save.isPending ? 'Saving service...' : 'Save service'}
        </Button>
        <p className={dialogKit.note}>Another policy counts for incidents that open from then on.</p>
      </form>
    </Dialog>
  );
}
