import * as cardKit from '~/components/ui/card.module.css';
import { Bone, BoneCard } from '~/components/ui/skeleton';
import * as skeletonKit from '~/components/ui/skeleton.module.css';
import { Failed, Loading } from '~/components/ui/states';
import { shortId } from '~/lib/words';
import * as styles from './incident-page.module.css';
import * as incidentStripStyles from './incident-strip.module.css';

const facts = ['Status', 'Severity', 'Assignee', 'Service'];

/** The page of an incident before anything is known of it but its number. */
export function IncidentLoading({ id }: { id: string }) {
  return (
    <article className={styles.incidentPage}>
      <header>
        <div>
          <IncidentNumber id={id} />
          <div className={styles.metaPlace} />
        </div>
      </header>
      <Loading what="incident">
        <dl className={`${cardKit.card} ${incidentStripStyles.strip}`}>
          {facts.map((fact) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd className={skeletonKit.boneText}>
                <Bone width="long" />
                <Bone />
              </dd>
            </div>
          ))}
        </dl>
        <div className={styles.columns}>
          <div className="stack">
            <BoneCard title="Who was paged" count={5} />
          </div>
          <div className="stack">
            <BoneCard title="Affected Services" count={1} />
            <BoneCard title="Linked Alerts" count={3} />
          </div>
        </div>
      </Loading>
    </article>
  );
}

/** The page of an incident that could not be fetched. */
export function IncidentFailed({ id, reason, onRetry }: { id: string; reason: string; onRetry: () => void }) {
  return (
    <div className={styles.incidentPage}>
      <header>
        <IncidentNumber id={id} />
      </header>
      <div className={cardKit.card}>
        <Failed detail={reason} onRetry={onRetry}>
          Failed to load incident
        </Failed>
      </div>
    </div>
  );
}

function IncidentNumber({ id }: { id: string }) {
  return (
    <h1>
      <span className="mono">{shortId(id)}</span> Incident
    </h1>
  );
}
