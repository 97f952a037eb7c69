import { later } from '~/components/later';

/** What declares an incident, opened by a press on several pages. */
export const CreateIncidentDialog = later('The form', () =>
  import('./create-incident-dialog').then((chunk) => chunk.CreateIncidentDialog),
);
