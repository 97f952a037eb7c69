/** One try to reach a person, as the sample incident of the landing page shows it. */
export interface SampleTry {
  offset: string;
  channel: string;
  person: string;
  hue: number;
  result: string;
}

/** The sample incident: it began 4:12 ago and the second person is paged at 5:00. */
export const sampleIncident = {
  title: 'Checkout payments failing in eu-west-1',
  service: 'Checkout API is down',
  age: 252,
  nextAt: 300,
};

/** What has happened so far, oldest first. The last one waits for an answer. */
export const sampleTries: readonly SampleTry[] = [
  { offset: '+0.3s', channel: 'E-mail', person: 'Mara Lindqvist', hue: 1, result: 'Delivered' },
  { offset: '+1:00', channel: 'Slack', person: 'Mara Lindqvist', hue: 1, result: 'Delivered' },
  { offset: '+2:00', channel: 'E-mail', person: 'Mara Lindqvist', hue: 1, result: 'No answer' },
  { offset: '+4:00', channel: 'Slack', person: 'Mara Lindqvist', hue: 1, result: 'Waiting' },
];

/** Who is paged next unless somebody answers. */
export const sampleNext = { offset: '+5:00', channel: 'E-mail', person: 'Jonas Okafor', hue: 2 };
