import type {
  EscalationJson,
  IncidentJson,
  IncidentReferenceJson,
  ListIncidentsResponseJson,
  ReferenceJson,
} from '@nightbell/proto';
import type { InfiniteData } from '@tanstack/react-query';
import { each } from '~/lib/each';
import { dateOf, toDate } from '~/lib/time/instant';

/** Somebody by id and name. */
export interface Person {
  id: string;
  name: string;
}

/** Where the paging of an incident stands. */
export interface Escalation {
  status: 'active' | 'stopped' | 'exhausted' | string;
  policyName: string;
  step: number;
  steps: number;
  nextDueAt: Date | null;
  nextTargets: readonly string[];
  reason: string;
}

/** An incident with its times as dates and its gaps as null. */
export interface Incident {
  id: string;
  title: string;
  description: string;
  status: 'triggered' | 'acknowledged' | 'resolved' | string;
  severity: string;
  serviceId: string;
  serviceName: string;
  triggeredAt: Date;
  acknowledgedAt: Date | null;
  resolvedAt: Date | null;
  acknowledgedBy: Person | null;
  /** Who declared it by hand; null when an alert or a program did. */
  declaredBy: Person | null;
  assignee: Person | null;
  source: string;
  alertCount: number;
  /** It became more severe since it was acknowledged, and is to be acknowledged again. */
  confirmationWanted: boolean;
  /** What it was when it was acknowledged; empty in lists. */
  acknowledgedSeverity: string;
  /** When its policy pages again; null while it is not snoozed. */
  snoozedUntil: Date | null;
  escalation: Escalation | null;
  /** What to do, as its service says; empty when that does not. */
  runbookUrl: string;
  /** The incident that took this one in; null when none did. */
  mergedInto: Related | null;
  merged: readonly Related[];
  linked: readonly Related[];
  subscribers: readonly Person[];
}

/** Another incident that has to do with one. */
export interface Related {
  id: string;
  title: string;
  status: string;
  severity: string;
}

/** The incident of an answer. Missing texts are empty; a missing start is the epoch, which shows at once. */
export function toIncident(json: IncidentJson): Incident {
  return {
    id: json.id ?? '',
    title: json.title ?? '',
    description: json.description ?? '',
    status: json.status ?? 'triggered',
    severity: json.severity ?? 'low',
    serviceId: json.service?.id ?? '',
    serviceName: json.service?.name ?? '',
    triggeredAt: dateOf(json.triggered_at),
    acknowledgedAt: toDate(json.acknowledged_at),
    resolvedAt: toDate(json.resolved_at),
    acknowledgedBy: toPerson(json.acknowledged_by),
    declaredBy: toPerson(json.created_by),
    assignee: toPerson(json.assignee),
    source: json.source ?? '',
    alertCount: json.alert_count ?? 0,
    confirmationWanted: json.confirmation_wanted ?? false,
    acknowledgedSeverity: json.acknowledged_severity ?? '',
    snoozedUntil: toDate(json.snooze_ends_at),
    escalation: json.escalation ? toEscalation(json.escalation) : null,
    runbookUrl: json.runbook_url ?? '',
    mergedInto: json.merged_into ? toRelated(json.merged_into) : null,
    merged: (json.merged ?? []).map(toRelated),
    linked: (json.linked ?? []).map(toRelated),
    subscribers: (json.subscribers ?? []).flatMap((one) => toPerson(one) ?? []),
  };
}

function toRelated({ id = '', title = '', status = '', severity = '' }: IncidentReferenceJson): Related {
  return { id, title, status, severity };
}

const toIncidents = each(toIncident);

/** The rows of a list, as far as it is loaded. A row that did not change stays the same object. */
export function toRows({ pages }: InfiniteData<ListIncidentsResponseJson>): readonly Incident[] {
  return toIncidents(pages.flatMap((page) => page.incidents ?? []));
}

/** Who has the incident: whoever it is assigned to, or whoever acknowledged it. */
export function holder(incident: Incident): Person | null {
  return incident.assignee ?? incident.acknowledgedBy;
}

/** Whether somebody has to acknowledge it, for the first time or again. */
export function needsAnswer(incident: Incident): boolean {
  return incident.status === 'triggered' || incident.confirmationWanted;
}

/** The word on the button that acknowledges it. */
export function acknowledgeWord(incident: Incident): string {
  return incident.confirmationWanted ? 'Acknowledge again' : 'Acknowledge';
}

/** What a press of its button means: which incident, what is done, and how severe it was seen. Empty without a button. */
export function answerMeant(incident: Incident): string {
  if (needsAnswer(incident)) return `acknowledge ${incident.severity} ${incident.id}`;
  return incident.status === 'acknowledged' ? `resolve ${incident.id}` : '';
}

/** A person of an answer; null without a name. */
export function toPerson(json: ReferenceJson | null | undefined): Person | null {
  return json?.name ? { id: json.id ?? '', name: json.name } : null;
}

function toEscalation(json: EscalationJson): Escalation {
  return {
    status: json.status ?? '',
    policyName: json.escalation_policy?.name ?? '',
    step: json.step ?? 0,
    steps: json.step_count ?? 0,
    nextDueAt: toDate(json.next_due_at),
    nextTargets: json.next_targets ?? [],
    reason: json.reason ?? '',
  };
}
