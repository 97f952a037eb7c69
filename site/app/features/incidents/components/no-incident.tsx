import { PageHead } from '~/components/layout/page-head';
import { Title } from '~/components/layout/title';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty } from '~/components/ui/states';
import { ApiError, reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { IncidentFailed } from './incident-loading';

/** The page of an incident that there is not, or that could not be fetched. */
export function NoIncident({ id, error, onRetry }: { id: string; error: Error; onRetry: () => void }) {
  const missing = error instanceof ApiError && error.status === 404;
  if (missing) {
    return (
      <>
        <PageHead title="No such incident" />
        <div className={cardKit.card}>
          <Empty action={<ButtonLink to={paths.incidents}>All incidents</ButtonLink>}>{error.message}</Empty>
        </div>
      </>
    );
  }
  return (
    <>
      <Title>Incident</Title>
      <IncidentFailed id={id} reason={reasonOf(error)} onRetry={onRetry} />
    </>
  );
}
