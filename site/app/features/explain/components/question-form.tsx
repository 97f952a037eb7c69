import { useQuery } from '@tanstack/react-query';
import { SelectField } from '~/components/ui/field';
import * as fieldKit from '~/components/ui/field.module.css';
import { Segmented } from '~/components/ui/segmented';
import { DateTimeField } from '~/components/ui/time-field';
import { serviceList } from '~/data/services';
import { serverNow } from '~/lib/time/clock';
import { dateOf, toIso } from '~/lib/time/instant';
import { fromField, readersZone, toField } from '~/lib/time/zone';
import { capitalised } from '~/lib/words';
import { toOptions } from '../model/options';
import type { Question } from '../model/question';
import * as styles from './question-form.module.css';

const severities = ['critical', 'high', 'medium', 'low'].map((value) => ({
  value,
  word: capitalised(value),
}));

/** The question: for what, how bad, when. Every change asks at once. */
export function QuestionForm({
  question,
  onAsk,
}: {
  question: Question;
  /** Given what changes alone, because another change may still be on its way. */
  onAsk: (change: Partial<Question>) => void;
}) {
  const services = useQuery({ ...serviceList, select: toOptions }).data ?? [];
  // A link names its service before the list is there, and where the list is not to be had.
  const listed = services.some((one) => typeof one !== 'string' && one.value === question.service);
  const unlisted = question.service !== '' && !listed;
  return (
    <form className={styles.question} aria-label="Question" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Service"
        options={[
          { value: '', word: 'No service' },
          ...(unlisted ? [{ value: question.service, word: 'The service of the link' }] : []),
          ...services,
        ]}
        value={question.service}
        onChange={(event) => onAsk({ service: event.target.value })}
      />
      <SelectField
        label="Severity"
        options={severities}
        value={question.severity}
        onChange={(event) => onAsk({ severity: event.target.value })}
      />
      <div>
        <p className={fieldKit.label}>Time</p>
        <Segmented
          label="Time"
          look="wide"
          choices={[
            { value: 'now', content: 'Now' },
            { value: 'picked', content: 'Pick' },
          ]}
          value={question.at ? 'picked' : 'now'}
          onChoose={(value) => onAsk({ at: value === 'now' ? '' : thisMinute() })}
        />
      </div>
      {question.at && (
        <DateTimeField
          label={`At, ${readersZone()}`}
          // The field keeps what is being typed; the address gets it once it is a time.
          key={question.at ? 'picked' : 'now'}
          defaultValue={toField(dateOf(question.at))}
          onChange={(value) => {
            const at = fromField(value);
            if (at) onAsk({ at: toIso(at) });
          }}
        />
      )}
    </form>
  );
}

// What the field can say: no seconds.
function thisMinute(): string {
  const now = serverNow();
  return toIso(fromField(toField(now)) ?? now);
}
