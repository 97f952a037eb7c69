import { clockChangeWords } from '~/lib/time/zone-words';
import { type Jump, jumpsOf } from '../model/picture';
import type { Range, Span } from '../model/range';
import type { Timeline } from '../model/schedule';

import * as styles from './timeline-card.module.css';

interface TimelineLegendProps {
  timeline: Timeline;
  range: Range;
  span: Span;
  /** Whether the schedule leaves out the same hours every week. */
  outside?: boolean;
}

/** What the marks of the picture mean, and every change of the clocks as a sentence. */
export function TimelineLegend({ timeline, range, span, outside = false }: TimelineLegendProps) {
  return (
    <div className={styles.timelineLegend}>
      <span>
        <i className={`${styles.swatch} ${styles.night}`} aria-hidden="true" />
        {span === 'month' ? 'Weekend' : 'Night, 22 to 06'}
      </span>
      <span>
        <i className={`${styles.swatch} ${styles.overriding}`} aria-hidden="true" />
        Override
      </span>
      <span>
        <i className={`${styles.swatch} ${styles.gap}`} aria-hidden="true" />
        Nobody on call
      </span>
      {outside && (
        <span>
          <i className={`${styles.swatch} ${styles.outside}`} aria-hidden="true" />
          Outside its hours
        </span>
      )}
      {jumpsOf(timeline, range).map((jump) => (
        <JumpSentence key={jump.at} jump={jump} />
      ))}
    </div>
  );
}

function JumpSentence({ jump }: { jump: Jump }) {
  return (
    <span className={styles.jump}>
      <i aria-hidden="true" />
      {clockChangeWords(jump.day, jump.by)}, {jump.message}
    </span>
  );
}
