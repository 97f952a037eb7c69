import type { FieldWords } from '~/lib/edits';
import { hoursInWords } from './hours';
import { type Policy, type Quiet, type Step, toRequest } from './policy';
import { conditionOf, lastResortOf, whoOf } from './summary';
import { lengthOf, listed } from './words';

/** The fields of a policy as people read them. */
export const policyWords: readonly FieldWords<Policy>[] = [
  { label: 'Name', stored: ({ name }) => name.trim(), words: ({ name }) => name },
  {
    label: 'Description',
    stored: ({ description }) => description.trim(),
    words: ({ description }) => description,
  },
  { label: 'Time zone', stored: ({ timezone }) => timezone, words: ({ timezone }) => timezone },
  { label: 'Steps', stored: (policy) => toRequest(policy).steps, words: stepsInWords },
  {
    label: 'Starts again',
    stored: ({ repeats }) => repeats,
    words: ({ repeats }) => (repeats === 0 ? 'no' : `${repeats} times more`),
  },
  {
    label: 'Last resort',
    stored: (policy) => [toRequest(policy).last_resort, toRequest(policy).last_resort_target],
    words: (policy) => lastResortOf(policy) || 'nobody',
  },
  {
    label: 'Pages again after',
    stored: ({ ackTimeoutSeconds }) => ackTimeoutSeconds,
    words: ({ ackTimeoutSeconds }) => lengthOrNever(ackTimeoutSeconds),
  },
  {
    label: 'Resolves after',
    stored: ({ autoResolveSeconds }) => autoResolveSeconds,
    words: ({ autoResolveSeconds }) => lengthOrNever(autoResolveSeconds),
  },
  {
    label: 'Pages nobody',
    stored: (policy) => toRequest(policy).quiet,
    words: ({ quiet }) => quiet.map(quietInWords).join('\n'),
  },
];

function stepsInWords({ steps }: Policy): string {
  return steps.map(stepInWords).join('\n');
}

function stepInWords(step: Step, place: number): string {
  const condition = conditionOf(step);
  return `${place + 1}. ${whoOf(step) || 'nobody'}${condition && ` (${condition})`}, waits ${lengthOf(step.delaySeconds)}`;
}

function quietInWords({ severities, hours }: Quiet): string {
  return `${listed(severities) || 'all severities'}, ${hoursInWords(hours)}`;
}

function lengthOrNever(seconds: number): string {
  return seconds === 0 ? 'never' : lengthOf(seconds);
}
