import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon } from '~/components/ui/icon';
import { SeverityMark } from '~/components/ui/mark';
import { coverageOf, coveredShare, holesInWords, type SeverityCoverage } from '../model/coverage';
import { type Span, week } from '../model/hours';
import type { Policy } from '../model/policy';
import { lastResortOf } from '../model/summary';
import * as styles from './coverage-card.module.css';

const dayNames = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** Severities by hours of a week: where no step applies, the last resort is paged. */
export function CoverageCard({ policy }: { policy: Policy }) {
  const begun = policy.steps.some((step) => step.targets.length > 0);
  if (!begun) return null;
  const coverage = coverageOf(policy);
  const sentences = holesInWords(coverage);
  if (sentences.length === 0)
    return (
      <Card title="Coverage">
        <p className={`${styles.coverageOk} ${cardKit.pad}`}>
          <Icon name="check" />
          Every severity reaches a step at every hour{policy.quiet.length > 0 && ' that is not quiet'}.
        </p>
      </Card>
    );
  return (
    <Card title="Coverage" className={styles.coverage}>
      <div className={cardKit.pad}>
        <Week coverage={coverage} />
        <ul className={styles.holes}>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p className={styles.owners}>{lastResortSentence(policy)}</p>
        <p className="size-12 text-3">Times of {policy.timezone}.</p>
      </div>
    </Card>
  );
}

// The sentences below say the same, so the picture is for eyes only.
function Week({ coverage }: { coverage: readonly SeverityCoverage[] }) {
  return (
    <div className={styles.week} aria-hidden="true">
      <div className={styles.weekDays}>
        {dayNames.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      {coverage.map((row) => (
        <div key={row.severity} className={styles.weekRow}>
          <SeverityMark value={row.severity} />
          <div className={styles.weekBar}>
            {row.holes.flatMap(wrapped).map(({ from, to }) => (
              <span
                key={from}
                className={styles.hole}
                style={{ left: `${(from / week) * 100}%`, width: `${((to - from) / week) * 100}%` }}
              />
            ))}
          </div>
          <span className="mono">{coveredShare(row)}</span>
        </div>
      ))}
    </div>
  );
}

function lastResortSentence(policy: Policy): string {
  const last = lastResortOf(policy);
  if (last === '') return 'Then nobody is paged.';
  return policy.lastResort === 'owners' ? `Then ${last} are paged.` : `Then ${last} is paged.`;
}

// A hole over Sunday night is drawn at both ends of the week.
function wrapped({ from, to }: Span): Span[] {
  return to > week
    ? [
        { from, to: week },
        { from: 0, to: to - week },
      ]
    : [{ from, to }];
}
