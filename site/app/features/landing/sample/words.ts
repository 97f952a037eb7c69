/** The four problems the product is for, each at the minute of the night where it hurts. */
export const problems = [
  {
    at: '02:14',
    title: 'Missed critical alerts',
    text: 'The one that matters is message 212 in a channel nobody watches at night.',
  },
  {
    at: '02:41',
    title: 'Slow response times',
    text: 'Who is on call? Which number? The answer is in a spreadsheet from last spring.',
  },
  {
    at: '03:30',
    title: 'Customer trust erosion',
    text: 'Customers find the outage first and tell each other before you tell them.',
  },
  {
    at: 'Every week',
    title: 'Team burnout',
    text: 'The same two people wake up for alerts that were never theirs.',
  },
] as const;

/** Production metrics. */
export const metrics = [
  { value: '99.9%', label: 'Uptime SLA' },
  { value: '73%', label: 'Faster MTTR' },
  { value: '10k+', label: 'Teams' },
  { value: '300+', label: 'Integrations' },
  { value: '24/7', label: 'Support' },
  { value: 'SOC2', label: 'Compliant' },
] as const;

/** Sample quotes; the people and companies are invented. */
export const quotes = [
  {
    text: 'We had 1,900 alerts the night our primary failed over. I got one call, it named the replica, and I was back in bed at 03:40.',
    name: 'Sofia Keller',
    role: 'Staff engineer, Northlane',
    hue: 3,
  },
  {
    text: 'The gap warning alone paid for it. We found three Saturdays nobody covered.',
    name: 'Daniel Achterberg',
    role: 'Head of SRE, Millpond',
    hue: 6,
  },
  {
    text: 'New people join the rotation in their second month. The first screen tells them what to do.',
    name: 'Nadia Benali',
    role: 'CTO, Quayside',
    hue: 5,
  },
] as const;
