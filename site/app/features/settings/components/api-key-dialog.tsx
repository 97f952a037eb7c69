import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Checkbox } from '~/components/ui/checkbox';
import { CopyButton } from '~/components/ui/copy-button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useCreateApiKey } from '~/data/api-keys';
import { fieldReason, reasonOf } from '~/lib/api';
import * as styles from './settings.module.css';

const scopes = [
  ['events:write', 'Send alerts and events'],
  ['incidents:read', 'Read incidents'],
  ['incidents:write', 'Change incidents'],
  ['config:read', 'Read people, services, schedules and policies'],
  ['config:write', 'Change people, services, schedules and policies'],
  ['secrets:read', 'Read service keys and other stored secrets'],
  ['api_keys:write', 'Make and revoke keys'],
] as const;

const roles = [
  { value: 'responder', word: 'Responder' },
  { value: 'viewer', word: 'Viewer' },
  { value: 'admin', word: 'Admin' },
];

const lives = [
  { value: '0', word: 'Never' },
  { value: '30', word: 'In 30 days' },
  { value: '90', word: 'In 90 days' },
  { value: '365', word: 'In a year' },
];

/** Makes a key and shows it, this once. */
export function ApiKeyDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey();
  const [chosen, setChosen] = useState<readonly string[]>(['events:write']);
  if (create.data?.key) {
    return (
      <Dialog title="Copy the key now" saving={false} onClose={onClose}>
        <div className={dialogKit.body}>
          <p className="text-2">Nightbell keeps only its fingerprint and cannot show it again.</p>
          <code className={styles.key}>{create.data.key}</code>
          <div className={dialogKit.choices}>
            <CopyButton text={create.data.key} word="Copy key" />
            <Button onClick={onClose}>I have stored it</Button>
          </div>
        </div>
      </Dialog>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const days = Number(form.get('days'));
    create.mutate({
      name: String(form.get('name')).trim(),
      role: String(form.get('role')),
      scopes: [...chosen],
      ...(days > 0 ? { expires_in_days: days } : {}),
    });
  };
  const toggle = (scope: string, on: boolean) =>
    setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  return (
    <Dialog title="Create key" saving={create.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {create.isError && <Banner tone="failed">{reasonOf(create.error)}</Banner>}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          placeholder="Deploy bot"
          error={fieldReason(create.error, 'name')}
        />
        <fieldset className={styles.scopes}>
          <legend>What it is for</legend>
          {scopes.map(([scope, words]) => (
            <Checkbox key={scope} checked={chosen.includes(scope)} onChange={(on) => toggle(scope, on)}>
              <span>
                {words} <span className="mono text-3 size-12">{scope}</span>
              </span>
            </Checkbox>
          ))}
        </fieldset>
        <div className={dialogKit.sideBySide}>
          <SelectField label="Role" name="role" options={roles} />
          <SelectField label="Expires" name="days" options={lives} />
        </div>
        <Submit size="lg" pending={create.isPending} disabled={chosen.length === 0} doing="Creating key...">
          Create key
        </Submit>
        <p className={dialogKit.note}>A key may do what both its role and what it is for allow.</p>
      </form>
    </Dialog>
  );
}
