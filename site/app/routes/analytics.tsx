import { useQuery } from '@tanstack/react-query';
import { Activity } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty, FetchFailed } from '~/components/ui/states';
import { analytics } from '~/data/analytics';
import { prefetch } from '~/data/cache';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { AnalyticsFilters } from '~/features/analytics/components/analytics-filters';
import { AnalyticsLoading } from '~/features/analytics/components/analytics-loading';
import { Report } from '~/features/analytics/components/report';
import { askedOf, viewOf } from '~/features/analytics/model/period';
import { toFigures } from '~/features/analytics/model/sheets';
import { useAddressParams } from '~/lib/address-params';
import { fullDay } from '~/lib/time/words';

export function clientLoader({ request }: { request: Request }) {
  const asked = askedOf(viewOf(new URL(request.url).searchParams));
  return prefetch((client) => [
    ...(asked ? [client.query(analytics(asked))] : []),
    client.query(serviceList),
    client.query(teamList),
  ]);
}

/** How soon people answered, what woke them, and what it was about. The period and the filters stand in the address. */
export default function Analytics() {
  const [params, setParams] = useAddressParams();
  const view = viewOf(params);
  const asked = askedOf(view);
  const figures = useQuery({
    ...analytics(asked ?? { days: 30, compare: true, serviceId: '', teamId: '' }),
    enabled: asked !== null,
  });
  const change = (changes: Record<string, string>) =>
    setParams((current) =>
      Object.fromEntries(
        Object.entries({ ...Object.fromEntries(current), ...changes }).filter(([, value]) => value !== ''),
      ),
    );
  // Figures of an earlier choice are not shown, but kept: what was opened there stays open.
  const earlier = asked === null || figures.isPlaceholderData;
  const of = figures.data && toFigures(figures.data, new Date());
  const empty = of && !of.period?.figures?.incident_count && !of.before?.figures?.incident_count;
  return (
    <>
      <PageHead title="Analytics" />
      <AnalyticsFilters view={view} onChange={change} />
      {asked && (figures.isPending || earlier) && <AnalyticsLoading />}
      <FetchFailed of={figures} card>
        Failed to load analytics
      </FetchFailed>
      {empty && !earlier && (
        <div className={cardKit.card}>
          <Empty
            action={
              (view.service || view.team) && (
                <Button onClick={() => change({ service: '', team: '' })}>Show every service</Button>
              )
            }
          >
            No incidents in this period.
          </Empty>
        </div>
      )}
      {of && !empty && (
        <Activity mode={earlier ? 'hidden' : 'visible'}>
          <Boundary what="The figures">
            <Report of={of} />
          </Boundary>
        </Activity>
      )}
      {of && !earlier && (
        <p className="text-3 size-12">
          {of.pagesSince &&
            `Pages are kept for ${of.pages_kept_days} days: those before ${fullDay(of.pagesSince)} are not counted. `}
          Test alerts and test pages are left out. An incident belongs, with its pages, to the period in which
          it was triggered.
        </p>
      )}
    </>
  );
}
