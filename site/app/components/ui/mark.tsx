import { capitalised } from '~/lib/words';
import { Icon, type IconName } from './icon';
import * as styles from './mark.module.css';

type Family = 'severity' | 'status' | 'health';

interface MarkProps {
  value: string;
  /** The word beside the shape; the value itself, capitalised, unless given. */
  word?: string;
}

const shapes: Record<Family, readonly IconName[]> = {
  severity: ['critical', 'high', 'medium', 'low'],
  status: ['triggered', 'acknowledged', 'resolved'],
  health: ['healthy', 'degraded', 'down'],
};

/** How bad: a road sign. An unknown severity shows as low with its own word. */
export function SeverityMark({ value, word }: MarkProps) {
  return <Mark family="severity" value={value} word={word} fallback="low" />;
}

/** Who has it: a circle. */
export function StatusMark({ value, word }: MarkProps) {
  return <Mark family="status" value={value} word={word} fallback="triggered" />;
}

/** How the service is: a square. */
export function HealthMark({ value, word }: MarkProps) {
  return <Mark family="health" value={value} word={word} fallback="healthy" />;
}

function Mark({ family, value, word, fallback }: MarkProps & { family: Family; fallback: IconName }) {
  const shape = shapes[family].find((name) => name === value) ?? fallback;
  return (
    <span className={styles.mark} {...{ [`data-${family}`]: shape }}>
      <Icon name={shape} className="" />
      {word ?? capitalised(value)}
    </span>
  );
}
