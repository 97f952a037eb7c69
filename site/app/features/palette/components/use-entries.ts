import type { IncidentJson } from '@nightbell/proto';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useChangeMany } from '~/data/incident-bulk';
import { incidentList } from '~/data/incidents';
import { memberList } from '~/data/members';
import { scheduleList } from '~/data/schedules';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { capitalised, shortId } from '~/lib/words';
import type { Entry } from '../model/entries';

const pauseOfTyping = 250;
const fewestLetters = 2;
const mostOlder = 6;

/** Everything the palette can find for a text. Only incidents that are no longer open are asked of the server for it. */
export function useEntries(actions: readonly Entry[], text: string) {
  const ofOpen = useInfiniteQuery(incidentList({ status: 'open' }));
  const ofServices = useQuery(serviceList);
  const ofSchedules = useQuery(scheduleList);
  const ofPeople = useQuery(memberList);
  const open = ofOpen.data;
  const services = ofServices.data ?? [];
  const schedules = ofSchedules.data ?? [];
  const people = ofPeople.data ?? [];
  const many = useChangeMany();
  const wanted = usePaused(text.trim());
  const asks = wanted.length >= fewestLetters;
  const older = useInfiniteQuery({
    ...incidentList({ status: 'resolved', text: wanted, limit: mostOlder }),
    enabled: asks,
  });
  const incidents = open?.pages.flatMap((page) => page.incidents ?? []) ?? [];
  const entries: Entry[] = [
    ...incidents.map((incident) => ({
      ...toEntry(incident, 'Incidents'),
      acknowledge:
        mayAct('responder') && (incident.status === 'triggered' || incident.confirmation_wanted)
          ? () =>
              many.mutate({
                incidents: [{ id: incident.id ?? '', severity: incident.severity ?? '' }],
                verb: 'acknowledge',
              })
          : undefined,
    })),
    ...services.map(
      ({ id = '', name = '', health = 'healthy', owner }): Entry => ({
        id: `service-${id}`,
        group: 'Services',
        word: name,
        icon: health === 'down' || health === 'degraded' ? health : 'healthy',
        state: health,
        note: capitalised(health),
        also: owner?.name,
        to: paths.service(id),
      }),
    ),
    ...schedules.map(
      ({ id = '', name = '' }): Entry => ({
        id: `schedule-${id}`,
        group: 'Schedules',
        word: name,
        icon: 'oncall',
        to: paths.schedule(id),
      }),
    ),
    ...people.map(
      ({ id, name }): Entry => ({
        id: `person-${id}`,
        group: 'People',
        word: name,
        icon: 'users',
        to: paths.users,
      }),
    ),
    ...actions,
    ...(asks ? (older.data?.pages ?? []) : []).flatMap((page) =>
      (page.incidents ?? []).map((incident) => toEntry(incident, 'Older incidents')),
    ),
  ];
  const parts = [
    { word: 'open incidents', of: ofOpen },
    { word: 'services', of: ofServices },
    { word: 'schedules', of: ofSchedules },
    { word: 'people', of: ofPeople },
    ...(asks ? [{ word: 'older incidents', of: older }] : []),
  ];
  const typing = text.trim() !== wanted && text.trim().length >= fewestLetters;
  return {
    entries,
    searching: typing || parts.some(({ of }) => of.data === undefined && of.isFetching),
    /** What could not be read, in words. */
    unread: parts.filter(({ of }) => of.data === undefined && of.isError).map(({ word }) => word),
  };
}

function toEntry(incident: IncidentJson, group: 'Incidents' | 'Older incidents'): Entry {
  const { id = '', title = '', status = 'triggered', service_name = '', description = '' } = incident;
  return {
    id: `incident-${id}`,
    group,
    word: title,
    icon: status === 'acknowledged' || status === 'resolved' ? status : 'triggered',
    state: status,
    note: service_name,
    also: `${shortId(id)} ${description}`,
    to: paths.incident(id),
  };
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseOfTyping);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
