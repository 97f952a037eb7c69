import { type RefObject, useEffect, useRef, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { SeverityMark } from '~/components/ui/mark';
import { clock } from '~/lib/time/counter';
import { sampleAge, sampleLeft } from '../model/sample-age';
import { sampleIncident, sampleNext, sampleTries } from '../sample/incident';
import * as styles from './sample-incident.module.css';

type Stage = 'ringing' | 'acknowledged' | 'resolved';

/** A working picture of the product: it rings, counts, and can be acknowledged and resolved. */
export function SampleIncident() {
  const [stage, setStage] = useState<Stage>('ringing');
  const article = useRef<HTMLElement>(null);
  const age = useSampleAge(stage === 'ringing', article);
  return (
    <article
      ref={article}
      className={`${cardKit.card} ${styles.sampleIncident}`}
      id="demo"
      aria-label="Sample incident"
      data-stage={stage}
    >
      <header>
        <div>
          <p className={styles.title}>{sampleIncident.title}</p>
          <p className={styles.facts}>
            <SeverityMark value="critical" />
            <span>{sampleIncident.service}</span>
          </p>
        </div>
        <span className={`${styles.age} mono`} data-sample="age" suppressHydrationWarning>
          {clock(age)}
        </span>
      </header>
      <ol>
        {sampleTries.map((entry) => {
          const ringing = entry.result === 'Waiting';
          const result = ringing && stage !== 'ringing' ? 'Acknowledged' : entry.result;
          return <Try key={entry.offset} {...entry} result={result} look={lookOf(result)} />;
        })}
        <Try
          {...sampleNext}
          look="waiting"
          result={stage === 'ringing' ? `in ${clock(sampleLeft(age))}` : 'Not needed'}
        />
      </ol>
      <footer>
        {stage === 'ringing' && (
          <Button look="person" size="lg" data-early="sample" onClick={() => setStage('acknowledged')}>
            Acknowledge
          </Button>
        )}
        {stage === 'acknowledged' && (
          <Button size="lg" icon="check" onClick={() => setStage('resolved')}>
            Resolve
          </Button>
        )}
        {stage === 'resolved' && (
          <Button size="lg" icon="refresh" onClick={() => setStage('ringing')}>
            Ring again
          </Button>
        )}
        <p aria-live="polite">{words[stage]}</p>
      </footer>
    </article>
  );
}

const words: Record<Stage, string> = {
  ringing: 'Try it. This is the button.',
  acknowledged: 'Mara has it. Nobody else is woken.',
  resolved: 'Resolved. Back to bed.',
};

function Try({
  offset,
  channel,
  person,
  hue,
  result,
  look,
}: {
  offset: string;
  channel: string;
  person: string;
  hue: number;
  result: string;
  look: string;
}) {
  return (
    <li data-look={look}>
      <span className={`${styles.offset} mono`}>{offset}</span>
      <span className={styles.node} />
      <span>{channel}</span>
      <span className={`row ${styles.who}`}>
        <Avatar name={person} hue={hue} />
        <span className="ellipsis">{person}</span>
      </span>
      <span
        className={styles.result}
        data-sample={look === 'waiting' ? 'left' : undefined}
        suppressHydrationWarning
      >
        {result}
      </span>
    </li>
  );
}

function lookOf(result: string): string {
  const looks: Record<string, string> = {
    'No answer': 'missed',
    Waiting: 'ringing',
    Acknowledged: 'acknowledged',
  };
  return looks[result] ?? 'delivered';
}

/**
 * Seconds since the sample incident began; it starts again with every ringing and stops when reduced motion is
 * asked for. The first ringing may have begun before React came (front.ts).
 */
function useSampleAge(ringing: boolean, article: RefObject<HTMLElement | null>): number {
  const [age, setAge] = useState(sampleIncident.age);
  useEffect(() => {
    if (!ringing || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const rung = Number(article.current?.dataset.rung ?? performance.now());
    const tell = () => setAge(sampleAge(rung, performance.now()));
    tell();
    const timer = setInterval(tell, 1000);
    return () => {
      clearInterval(timer);
      delete article.current?.dataset.rung;
    };
  }, [ringing, article]);
  return age;
}
