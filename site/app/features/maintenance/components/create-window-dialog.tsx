import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import * as fieldKit from '~/components/ui/field.module.css';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Segmented } from '~/components/ui/segmented';
import { Submit } from '~/components/ui/submit';
import { DateTimeField } from '~/components/ui/time-field';
import { useCreateWindow } from '~/data/maintenance';
import { serviceList } from '~/data/services';
import { reasonOf } from '~/lib/api';
import { serverNow } from '~/lib/time/clock';
import { fullHourAfter } from '~/lib/time/day';
import { readersZone, toField } from '~/lib/time/zone';
import { toChoices } from '../model/choices';
import { lengths, toRequest } from '../model/window';
import * as styles from './window-form.module.css';

const lengthWords: Record<string, string> = { 30: '30 min', 60: '1 h', 120: '2 h', null: 'Until' };

/** Announces planned work: which services, from when, for how long, why. */
export function CreateWindowDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWindow();
  const services = useQuery({ ...serviceList, select: toChoices });
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const [later, setLater] = useState(false);
  const [length, setLength] = useState('60');
  const [fault, setFault] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    const wish = {
      description: text('description'),
      serviceIds: chosen.map(({ id }) => id),
      startsAt: later ? text('starts') : '',
      minutes: length === 'null' ? null : Number(length),
      endsAt: text('ends'),
    };
    const request = toRequest(wish, serverNow());
    setFault(typeof request === 'string' ? request : '');
    if (typeof request !== 'string') create.mutate(request, { onSuccess: onClose });
  };
  const failure = fault || (create.isError && reasonOf(create.error)) || services.error?.message;
  return (
    <Dialog title="Plan maintenance" onClose={onClose}>
      <form className={styles.windowForm} onSubmit={submit}>
        {failure && <Banner tone="failed">{failure}</Banner>}
        <SearchSelect
          label="Services"
          placeholder={chosen.length === 0 ? 'Which are worked on' : 'Add another'}
          choices={services.data ?? []}
          chosen={chosen}
          onChange={setChosen}
        />
        <div>
          <p className={fieldKit.label}>Starts</p>
          <Segmented
            label="Starts"
            look="wide"
            choices={[
              { value: 'now', content: 'Now' },
              { value: 'later', content: 'Later' },
            ]}
            value={later ? 'later' : 'now'}
            onChoose={(value) => setLater(value === 'later')}
          />
        </div>
        {later && (
          <DateTimeField label="Start" name="starts" required defaultValue={toField(hoursAhead(1))} />
        )}
        <div>
          <p className={fieldKit.label}>Lasts</p>
          <Segmented
            label="Lasts"
            look="wide"
            choices={lengths.map((minutes) => ({
              value: String(minutes),
              content: lengthWords[String(minutes)],
            }))}
            value={length}
            onChoose={setLength}
          />
        </div>
        {length === 'null' && (
          <DateTimeField label="End" name="ends" required defaultValue={toField(hoursAhead(5))} />
        )}
        {(later || length === 'null') && (
          <p className={dialogKit.note}>Times of your zone, {readersZone()}.</p>
        )}
        <TextField
          label="Description"
          name="description"
          required
          maxLength={200}
          placeholder="Database upgrade to 17.4"
        />
        <Submit size="lg" pending={create.isPending} doing="Planning...">
          {later ? 'Plan maintenance' : 'Start maintenance'}
        </Submit>
        <p className={dialogKit.note}>
          Incidents of these services open as ever and page nobody until it ends. What is still open then is
          paged.
        </p>
      </form>
    </Dialog>
  );
}

// A full hour is more often meant than this minute.
function hoursAhead(hours: number): Date {
  return fullHourAfter(serverNow(), hours);
}
